// swift-tools-version: 6.2
import PackageDescription

// A client that declares publishers of its own in an extension of `Publishers`, under names that this package has too.
let package = Package(
  name: "OwnNames",
  dependencies: [
    // The name is given here, because the folder of a clone may have any name.
    .package(name: "swift-combine", path: "../../.."),
    .package(name: "Companions", path: "../../../Companions"),
  ],
  targets: [
    .executableTarget(
      name: "OwnNames",
      dependencies: [
        .product(name: "Combine", package: "swift-combine"),
        .product(name: "CombineSchedulers", package: "Companions"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
