// swift-tools-version: 6.2
import PackageDescription

// What guards the library and is not for its users: programs that stand beside the tests, clients, and comparisons with
// other libraries. A package of its own, so that nobody who uses the library downloads what is compared.
//
// The comparisons are there if the environment has COMBINE_PEERS: OpenCombine is compiled as on Apple's systems in a build
// folder that contains a module Combine, so they are built in a folder of their own, and nothing else is built there.
let comparesWithPeers = Context.environment["COMBINE_PEERS"] != nil

func library(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-combine")
}

let package = Package(
  name: "Checks",
  platforms: [.macOS(.v15)],
  traits: [
    .trait(name: "JetStream", description: "The mistakes with streams, and streams under load."),
    .trait(name: "NIO", description: "The mistakes with channels, and event loops under load."),
    .trait(name: "Metrics", description: "Gauges of streams."),
    .trait(name: "Logging", description: "Logs of streams."),
    .trait(name: "Tracing", description: "Spans of streams."),
    .trait(name: "ServiceLifecycle", description: "Services of streams."),
  ],
  dependencies: [
    // The name is given here, because the folder of a clone may have any name.
    .package(
      name: "swift-combine",
      path: "..",
      traits: [
        .trait(name: "JetStream", condition: .when(traits: ["JetStream"])),
        .trait(name: "NIO", condition: .when(traits: ["NIO"])),
        .trait(name: "Metrics", condition: .when(traits: ["Metrics"])),
        .trait(name: "Logging", condition: .when(traits: ["Logging"])),
        .trait(name: "Tracing", condition: .when(traits: ["Tracing"])),
        .trait(name: "ServiceLifecycle", condition: .when(traits: ["ServiceLifecycle"])),
      ]
    ),
    // Not fetched without the trait NIO.
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    // What the tests share, through a link to their folder.
    .target(
      name: "TestSupport",
      dependencies: [library("CombineCore")],
      path: "Support/TestSupport",
      exclude: ["Misuse.swift"]  // About declarations that only the library's own package sees.
    ),
    .target(
      name: "JetStreamSupport",
      dependencies: ["TestSupport", library("CombineJetStream")],
      path: "Support/JetStreamSupport"
    ),
    .target(
      name: "OperatorLoadSupport",
      dependencies: ["TestSupport", library("Combine"), library("CombineExtras")],
      path: "Support/OperatorLoadSupport"
    ),

    // Every mistake that ends the process, and whether its message names the operator.
    .executableTarget(
      name: "Misuses",
      dependencies: [
        "TestSupport", "JetStreamSupport", library("Combine"), library("CombineExtras"), library("CombineTesting"),
        library("CombineJetStream"), library("CombineNIO"),
        .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["NIO"])),
      ],
      path: "Programs/Misuses"
    ),
    // The stack that deep pipelines take.
    .executableTarget(
      name: "StackDepths",
      dependencies: ["TestSupport", library("Combine"), library("CombineExtras")],
      path: "Programs/StackDepths"
    ),
    // Programs that serve the main thread in different ways. A test inside the test runner cannot.
    .executableTarget(
      name: "MainLoops",
      dependencies: ["TestSupport", library("Combine")],
      path: "Programs/MainLoops"
    ),
    // Every operator with subscribers that come and go, for long.
    .executableTarget(name: "OperatorLoads", dependencies: ["OperatorLoadSupport"], path: "Programs/OperatorLoads"),
    // What the subscribers of current values have at rest, after threads have sent and requested.
    .executableTarget(
      name: "CurrentValueLoads",
      dependencies: [library("Combine")],
      path: "Programs/CurrentValueLoads"
    ),
    // What streams promise over minutes, under load, and with processes that are killed.
    .executableTarget(
      name: "StreamLoads",
      dependencies: ["JetStreamSupport", "TestSupport", library("CombineJetStream")],
      path: "Programs/StreamLoads"
    ),
    // The C library at the same work, which `StreamLoads peers` runs.
    .executableTarget(
      name: "StreamPeer",
      path: "Programs/StreamPeer",
      cSettings: [.define("JetStream", .when(traits: ["JetStream"]))],
      linkerSettings: [.linkedLibrary("nats", .when(traits: ["JetStream"]))]
    ),
    // Event loops and channels: prices, and bounds of what is in flight.
    .executableTarget(
      name: "EventLoopLoads",
      dependencies: [
        library("CombineNIO"), .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["NIO"])),
      ],
      path: "Programs/EventLoopLoads"
    ),

    // Clients that show what generic, inlinable code costs: how long a long pipeline takes to build, and that the
    // optimizer can handle the result.
    .executableTarget(name: "TwentyStages", dependencies: [library("Combine")], path: "ClientBuilds/TwentyStages"),
    .executableTarget(name: "Chains", dependencies: [library("Combine")], path: "ClientBuilds/Chains"),
  ],
  swiftLanguageModes: [.v6]
)

// MARK: Speed

let benchmarks: [Target] = [
  .target(name: "CAllocationCounter", path: "Benchmarks/Sources/CAllocationCounter"),
  .target(name: "CCallgrind", path: "Benchmarks/Sources/CCallgrind"),
  .target(name: "BenchmarkSupport", dependencies: ["Scripts"], path: "Benchmarks/Sources/BenchmarkSupport"),

  // What is made of the numbers: tables, and what must be reached.
  .target(
    name: "BenchmarkReports",
    dependencies: ["BenchmarkSupport"],
    path: "Benchmarks/Sources/BenchmarkReports"
  ),

  // The contestants. The first two are one source file, compiled against one library each.
  .target(
    name: "BenchmarksOurs",
    dependencies: [
      "BenchmarkSupport",
      // Named although the other one brings it: SwiftPM builds anew what a change of a direct dependency concerns, and
      // code that is inlined here would stay as it was.
      library("CombineCore"), library("CombineDispatch"), library("CombineExtras"), library("CombineInspection"),
    ],
    path: "Benchmarks/Sources/BenchmarksOurs"
  ),
  .target(
    name: "BenchmarksOpenCombine",
    dependencies: [
      "BenchmarkSupport",
      .product(name: "OpenCombine", package: "OpenCombine"),
      .product(name: "OpenCombineDispatch", package: "OpenCombine"),
    ],
    path: "Benchmarks/Sources/BenchmarksOpenCombine",
    swiftSettings: [.define("OPENCOMBINE")]
  ),
  .target(
    name: "BenchmarksAsyncAlgorithms",
    dependencies: ["BenchmarkSupport", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms")],
    path: "Benchmarks/Sources/BenchmarksAsyncAlgorithms"
  ),
  .target(
    name: "BenchmarksByHand",
    dependencies: ["BenchmarkSupport"],
    path: "Benchmarks/Sources/BenchmarksByHand"
  ),

  .executableTarget(
    name: "benchmarks",
    dependencies: [
      "CAllocationCounter", "CCallgrind", "CSandbox", "BenchmarkSupport", "BenchmarkReports", "BenchmarksOurs",
      "BenchmarksOpenCombine", "BenchmarksAsyncAlgorithms", "BenchmarksByHand",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Benchmarks/Sources/benchmarks",
    linkerSettings: [
      // Valgrind up to 3.19 gives up where it meets today's debug information; the symbols are left.
      .unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux], configuration: .release))
    ]
  ),

  // Whether the guard notices what it is there for.
  .testTarget(
    name: "BenchmarkReportsTests",
    dependencies: ["BenchmarkReports", "BenchmarkSupport"],
    path: "Benchmarks/Tests/BenchmarkReportsTests"
  ),
]

// MARK: Conformance

let conformance: [Target] = [
  // Scripts, how they are made at random and how they are made smaller. Knows neither library.
  .target(name: "Scripts", path: "Conformance/Sources/Scripts"),

  // The stage that plays a script, and the catalogue of what it can play: one source, compiled against each library.
  .target(
    name: "StageOurs",
    dependencies: ["Scripts", "SpecModels", library("CombineCore"), library("CombineExtras")],
    path: "Conformance/Sources/StageOurs"
  ),
  .target(
    name: "StageOpenCombine",
    dependencies: ["Scripts", .product(name: "OpenCombine", package: "OpenCombine")],
    path: "Conformance/Sources/StageOpenCombine",
    swiftSettings: [.define("OPENCOMBINE")]
  ),

  // What the peer lacks, written down from the specification.
  .target(name: "SpecModels", dependencies: [library("CombineCore")], path: "Support/SpecModels"),

  // Processes in which a script may trap or hang.
  .target(name: "CSandbox", path: "Conformance/Sources/CSandbox"),

  .executableTarget(
    name: "conformance",
    dependencies: [
      "Scripts", "StageOurs", "StageOpenCombine", "CSandbox",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Conformance/Sources/conformance"
  ),

  // A mixed workload for a minute, whose memory has to stay flat.
  .target(name: "CMemory", path: "Conformance/Sources/CMemory"),
  .executableTarget(
    name: "soak",
    dependencies: [
      "CMemory",
      // Named though the other brings it: what is not named here is not compiled anew when it changes.
      library("CombineCore"), library("CombineDispatch"),
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    path: "Conformance/Sources/soak"
  ),

  // Whether the machine finds what is broken.
  .testTarget(
    name: "ConformanceTests",
    dependencies: ["Scripts", "StageOurs", "conformance", library("CombineCore")],
    path: "Conformance/Tests/ConformanceTests"
  ),
]

if comparesWithPeers {
  package.dependencies = [
    .package(name: "swift-combine", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
  ]
  package.traits = []
  package.targets = benchmarks + conformance
}
