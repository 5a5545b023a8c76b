// swift-tools-version: 6.2
import PackageDescription

// Needs a system with `libnats-dev` and `nats-server`.
let package = Package(
  name: "Streams",
  dependencies: [
    .package(name: "swift-combine", path: "../..", traits: ["JetStream", "NIO"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "echo",
      dependencies: [
        .product(name: "CombineNIO", package: "swift-combine"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]
    ),
    // Copies of a program that are started and killed.
    .target(name: "Processes"),
    .executableTarget(
      name: "workers",
      dependencies: ["Processes", .product(name: "CombineJetStream", package: "swift-combine")]
    ),
    .executableTarget(
      name: "killed-orders",
      dependencies: ["Processes", .product(name: "CombineJetStream", package: "swift-combine")]
    ),
    .executableTarget(
      name: "top-level",
      dependencies: [.product(name: "CombineJetStream", package: "swift-combine")]
    ),
    .executableTarget(
      name: "effects-once",
      dependencies: [
        "Processes",
        .product(name: "CombineJetStream", package: "swift-combine"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
