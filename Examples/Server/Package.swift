// swift-tools-version: 6.2
import PackageDescription

// In your own repository, depend on swift-combine by its URL:
//
//   .package(url: "https://github.com/OWNER/swift-combine", branch: "main")
let package = Package(
  name: "Server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-combine", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // For a test that reads a stream.
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  ],
  targets: [
    .target(
      name: "Station",
      dependencies: [
        .product(name: "CombineExtras", package: "swift-combine"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
    .executableTarget(
      name: "station-server",
      dependencies: ["Station", .product(name: "Hummingbird", package: "hummingbird")]
    ),
    .testTarget(
      name: "StationTests",
      dependencies: [
        "Station",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "CombineTesting", package: "swift-combine"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
