// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "orders",
  dependencies: [
    .package(name: "swift-combine", path: "../..", traits: ["JetStream", "ServiceLifecycle"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "orders",
      dependencies: [
        .product(name: "CombineJetStream", package: "swift-combine"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ]
    )
  ]
)
