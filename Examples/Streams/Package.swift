// swift-tools-version: 6.1
import PackageDescription

// Needs a system with `libnats-dev` and `nats-server`.
let package = Package(
  name: "Streams",
  dependencies: [
    .package(name: "swift-combine", path: "../..", traits: ["JetStream", "NIO"]),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // Copies of a program that are started and killed.
    .target(name: "Processes"),
    .executableTarget(
      name: "workers",
      dependencies: ["Processes", .product(name: "CombineJetStream", package: "swift-combine")]
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
