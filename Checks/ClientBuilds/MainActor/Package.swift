// swift-tools-version: 6.2
import PackageDescription

// A client whose declarations belong to the main actor unless they say otherwise, as in a new package of an app.
let package = Package(
  name: "MainActorClient",
  dependencies: [
    // The name is given here, because the folder of a clone may have any name.
    .package(name: "swift-combine", path: "../../..")
  ],
  targets: [
    .executableTarget(
      name: "MainActorClient",
      dependencies: [
        .product(name: "Combine", package: "swift-combine"), .product(name: "CombineExtras", package: "swift-combine"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]
    )
  ],
  swiftLanguageModes: [.v6]
)
