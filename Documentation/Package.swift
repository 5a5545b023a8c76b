// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses the library downloads the documentation plugin. The plugin documents
// only targets of the package that it runs in: these are the library's, through a link to its sources.
let package = Package(
  name: "Documentation",
  products: [
    // What the listings in comments and articles are linked with when they are run.
    .library(
      name: "Library",
      type: .dynamic,
      targets: ["CombineNetworking", "CombineInspection", "CombineJetStream", "CombineNIO"]
    )
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-docc-plugin.git", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(name: "CCombinePlatform", path: "Library/CCombinePlatform"),
    .target(name: "CombineThreads", dependencies: ["CCombinePlatform"], path: "Library/CombineThreads"),
    .target(name: "CombineCore", dependencies: ["CombineThreads", "CCombinePlatform"], path: "Library/CombineCore"),
    .target(name: "CombineDispatch", dependencies: ["CombineCore"], path: "Library/CombineDispatch"),
    .target(name: "CombineFoundation", dependencies: ["CombineDispatch"], path: "Library/CombineFoundation"),
    .target(name: "CombineNetworking", dependencies: ["CombineFoundation"], path: "Library/CombineNetworking"),
    .target(name: "CombineExtras", dependencies: ["CombineFoundation"], path: "Library/CombineExtras"),
    .target(name: "CombineTesting", dependencies: ["CombineExtras"], path: "Library/CombineTesting"),
    .target(name: "CombineInspection", dependencies: ["CombineTesting"], path: "Library/CombineInspection"),
    // What traits guard in the library's own manifest.
    .systemLibrary(name: "CNATS", path: "Library/CNATS", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    .target(
      name: "CombineJetStream",
      dependencies: [
        "CombineExtras", "CNATS", .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      path: "Library/CombineJetStream",
      swiftSettings: ["JetStream", "Metrics", "Logging", "Tracing", "ServiceLifecycle"].map { .define($0) }
    ),
    .target(
      name: "CombineNIO",
      dependencies: ["CombineExtras", .product(name: "NIOCore", package: "swift-nio")],
      path: "Library/CombineNIO",
      swiftSettings: [.define("NIO")]
    ),
    // Not documented here. The guide of event loops compiles with it.
    .target(name: "GuideDependencies", dependencies: [.product(name: "NIOPosix", package: "swift-nio")]),
    // Its articles link to all modules, so here it depends on all of them. The plugin knows only direct dependencies.
    .target(
      name: "Combine",
      dependencies: [
        "CombineCore", "CombineDispatch", "CombineFoundation", "CombineNetworking", "CombineExtras", "CombineTesting",
        "CombineInspection", "CombineJetStream", "CombineNIO",
      ],
      path: "Library/Combine"
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The names of the modules in texts, as in the library's own manifest. The listings print them. The links to declarations,
// which have one name, depend on the modules' own names.
if Context.environment["COMBINE_LISTINGS"] != nil {
  for (name, textName) in [("CombineCore", "Combine"), ("Combine", "CombineProduct")] {
    package.targets.first { $0.name == name }?.swiftSettings = [.unsafeFlags(["-module-abi-name", textName])]
  }
}
