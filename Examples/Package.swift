// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Examples",
  products: [
    .executable(name: "recipes", targets: ["recipes"])
  ],
  dependencies: [
    // Named, so that the folder of the checkout may have any name (but the name of this one, `Examples`).
    .package(name: "swift-combine", path: ".."),
    .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
  ],
  targets: [
    // A module whose declarations belong to the main actor unless they say otherwise.
    .target(
      name: "main-actor-model",
      dependencies: [
        .product(name: "Combine", package: "swift-combine"),
        .product(name: "CombineExtras", package: "swift-combine"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
    .executableTarget(
      name: "recipes",
      dependencies: [
        "main-actor-model",
        .product(name: "Combine", package: "swift-combine"),
        .product(name: "CombineExtras", package: "swift-combine"),
        .product(name: "CombineInspection", package: "swift-combine"),
        .product(name: "CombineTesting", package: "swift-combine"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.copy("Web/Public")]
    ),
    .testTarget(
      name: "ServerTests",
      dependencies: [
        "recipes",
        .product(name: "CombineExtras", package: "swift-combine"),
        .product(name: "CombineTesting", package: "swift-combine"),
        .product(name: "FlyingFox", package: "FlyingFox"),
      ]
    ),
    .testTarget(
      name: "BrowserTests",
      dependencies: [
        "recipes",
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
