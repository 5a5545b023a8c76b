// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "swift-combine",
  // The module Synchronization needs these versions. The package is not built on Apple's platforms so far: a client uses
  // the system's Combine there.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Combine", targets: ["Combine"]),
    .library(name: "CombineNetworking", targets: ["CombineNetworking"]),
    .library(name: "CombineFoundation", targets: ["CombineFoundation"]),
    .library(name: "CombineDispatch", targets: ["CombineDispatch"]),
    .library(name: "CombineCore", targets: ["CombineCore"]),

    // Additions to Combine, and tests. Modules with the names of other libraries are in the package `Companions`, because
    // no two packages of a graph may have targets of one name.
    .library(name: "CombineExtras", targets: ["CombineExtras"]),
    .library(name: "CombineTesting", targets: ["CombineTesting"]),
    .library(name: "CombineInspection", targets: ["CombineInspection"]),

    // Empty unless the trait is enabled.
    .library(name: "CombineJetStream", targets: ["CombineJetStream"]),
    .library(name: "CombineNIO", targets: ["CombineNIO"]),
  ],
  traits: [
    .trait(name: "JetStream", description: "The module CombineJetStream, which requires the system library libnats."),
    .trait(name: "NIO", description: "The module CombineNIO, which requires the package swift-nio."),
    .trait(name: "Metrics", description: "Gauges in CombineJetStream, which require the package swift-metrics."),
    .trait(name: "Logging", description: "Logs of CombineJetStream, which require the package swift-log."),
    .trait(
      name: "Tracing",
      description: "Spans in CombineJetStream, which require the package swift-distributed-tracing."
    ),
    .trait(
      name: "ServiceLifecycle",
      description: "Services in CombineJetStream, which require the package swift-service-lifecycle."
    ),
  ],
  dependencies: [
    // Each is fetched only with its trait.
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // Functions that the C compiler inlines and Swift does not offer.
    .target(name: "CCombinePlatform"),
    // Locks, gates and fences. Clients do not import it.
    .target(name: "CombineThreads", dependencies: ["CCombinePlatform"]),
    .target(name: "CombineCore", dependencies: ["CombineThreads", "CCombinePlatform"]),
    .target(name: "CombineDispatch", dependencies: ["CombineCore"]),
    .target(name: "CombineFoundation", dependencies: ["CombineDispatch"]),
    .target(name: "CombineNetworking", dependencies: ["CombineFoundation"]),
    .target(name: "Combine", dependencies: ["CombineNetworking"]),

    .target(name: "CombineExtras", dependencies: ["CombineFoundation", "CCombinePlatform"]),
    .target(name: "CombineTesting", dependencies: ["CombineExtras"]),
    .target(name: "CombineInspection", dependencies: ["CombineTesting"]),

    .systemLibrary(name: "CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .target(
      name: "CombineJetStream",
      dependencies: [
        "CombineExtras", .target(name: "CNATS", condition: .when(traits: ["JetStream"])),
        .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
        .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
        .product(
          name: "ServiceLifecycle",
          package: "swift-service-lifecycle",
          condition: .when(traits: ["ServiceLifecycle"])
        ),
      ]
    ),
    .target(
      name: "CombineNIO",
      dependencies: [
        "CombineExtras", .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["NIO"])),
      ]
    ),

    // What tests share, and the programs in `Checks` too: upstreams and downstreams, threads, a server.
    .target(name: "TestSupport", dependencies: ["CombineCore"], path: "Tests/Support/TestSupport"),
    .target(
      name: "JetStreamSupport",
      dependencies: ["CombineJetStream", "TestSupport"],
      path: "Tests/Support/JetStreamSupport"
    ),
    // Every operator with subscribers that come and go: a table, for tests and for a program.
    .target(
      name: "OperatorLoadSupport",
      dependencies: ["Combine", "CombineExtras", "TestSupport"],
      path: "Tests/Support/OperatorLoadSupport"
    ),
    // Operators written down from the specification, for one thread and without regard to speed: what the tests and the
    // conformance machine compare with.
    .target(name: "SpecModels", dependencies: ["CombineCore"], path: "Tests/Support/SpecModels"),
    // A client's library, which declares what early versions of Combine lacked.
    .target(name: "ClientLibrary", dependencies: ["Combine"], path: "Tests/Support/ClientLibrary"),

    .testTarget(
      name: "CombineThreadsTests",
      dependencies: ["CombineThreads", "CCombinePlatform", "CombineCore", "TestSupport"]
    ),
    .testTarget(name: "CombineCoreTests", dependencies: ["CombineCore", "CombineTesting", "TestSupport"]),
    // Every order of events in the machines, and of the threads of short programs in the conduits.
    .testTarget(
      name: "InterleavingTests",
      dependencies: [
        "CombineNetworking", "CombineFoundation", "CombineCore", "CombineExtras", "CombineTesting", "TestSupport",
        "SpecModels",
      ]
    ),
    // Several threads at each operator. It is a target so that it can be repeated alone.
    .testTarget(
      name: "StressTests",
      dependencies: ["CombineCore", "CombineDispatch", "CombineTesting", "TestSupport", "OperatorLoadSupport"]
    ),
    .testTarget(name: "CombineExtrasTests", dependencies: ["CombineExtras", "CombineTesting", "TestSupport"]),
    .testTarget(name: "CombineTestingTests", dependencies: ["CombineTesting", "TestSupport"]),
    .testTarget(
      name: "CombineInspectionTests",
      dependencies: ["CombineInspection", "CombineTesting", "TestSupport"]
    ),
    .testTarget(name: "CombineDispatchTests", dependencies: ["CombineDispatch", "TestSupport"]),
    .testTarget(name: "CombineFoundationTests", dependencies: ["CombineFoundation", "TestSupport"]),
    .testTarget(name: "CombineNetworkingTests", dependencies: ["CombineNetworking", "TestSupport"]),
    .testTarget(name: "CombineTests", dependencies: ["Combine"]),
    // Strict concurrency for a user of the library, who imports only `Combine`.
    .testTarget(
      name: "Swift6ClientTests",
      dependencies: ["Combine", "ClientLibrary"],
      swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .testTarget(
      name: "CombineJetStreamTests",
      dependencies: [
        "CombineJetStream", "JetStreamSupport", "CombineTesting", "TestSupport",
        .target(name: "CNATS", condition: .when(traits: ["JetStream"])),
        .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
        .product(name: "InMemoryLogging", package: "swift-log", condition: .when(traits: ["Logging"])),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
        .product(
          name: "ServiceLifecycleTestKit",
          package: "swift-service-lifecycle",
          condition: .when(traits: ["ServiceLifecycle"])
        ),
      ]
    ),
    .testTarget(
      name: "CombineNIOTests",
      dependencies: [
        "CombineNIO", "CombineTesting", "TestSupport",
        .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["NIO"])),
        .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["NIO"])),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The libraries are compiled in the Swift 5 language mode, so that a client in the Swift 6 mode inserts the runtime's check
// that a closure of an actor is called on that actor, as with Apple's Combine. For a module in the Swift 6 mode the
// compiler leaves that check out. All that the Swift 6 mode checks here is enabled nevertheless.
let libraries = [
  "CombineThreads", "CombineCore", "CombineDispatch", "CombineFoundation", "CombineNetworking", "Combine",
  "CombineExtras",
  "CombineTesting", "CombineInspection", "CombineJetStream", "CombineNIO",
]
let featuresOfSwift6 = [
  "ConciseMagicFile", "ForwardTrailingClosures", "StrictConcurrency", "BareSlashRegexLiterals",
  "DeprecateApplicationMain",
  "ImportObjcForwardDeclarations", "DisableOutwardActorInference", "IsolatedDefaultValues", "GlobalConcurrency",
  "InferSendableFromCaptures", "RegionBasedIsolation", "ImplicitOpenExistentials", "DynamicActorIsolation",
  "NonfrozenEnumExhaustivity", "GlobalActorIsolatedTypesUsability",
]
for target in package.targets where libraries.contains(target.name) {
  target.swiftSettings = [.swiftLanguageMode(.v5)] + featuresOfSwift6.map { .enableUpcomingFeature($0) }
}

// Types are reflected as on Apple's platforms: `Combine.Just<Swift.Int>`. The compiler's name of the module in reflection and
// symbols becomes that of the product. The module that re-exports it takes another one, because no two may have the same.
// Apple's platforms are left out, as a process there may hold the system's Combine. So is Swift 6.2: whether its package
// manager accepts the option from a dependency has not been tried.
#if compiler(>=6.3)
  let elsewhere = BuildSettingCondition.when(platforms: [.linux, .android, .windows, .wasi, .openbsd])
  for target in package.targets {
    switch target.name {
    case "CombineCore": target.swiftSettings?.append(.unsafeFlags(["-module-abi-name", "Combine"], elsewhere))
    case "Combine": target.swiftSettings?.append(.unsafeFlags(["-module-abi-name", "CombineProduct"], elsewhere))
    default: break
    }
  }
#endif
