// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses the library downloads its peers.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The name is given here, as the folder that a clone lies in may be called anything.
    .package(name: "swift-combine", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
  ],
  targets: [
    .target(name: "CAllocationCounter"),
    .target(name: "CCallgrind"),
    .target(name: "BenchmarkSupport"),

    // What is made of the numbers: tables, and what must be reached.
    .target(name: "BenchmarkReports", dependencies: ["BenchmarkSupport"]),

    // The contestants. The first two are one source file, compiled against one library each.
    .target(
      name: "BenchmarksOurs",
      dependencies: [
        "BenchmarkSupport",
        // Named although the other one brings it: SwiftPM builds anew what a change of a direct dependency concerns, and
        // code that is inlined here would stay as it was.
        .product(name: "CombineCore", package: "swift-combine"),
        .product(name: "CombineDispatch", package: "swift-combine"),
        .product(name: "CombineExtras", package: "swift-combine"),
        .product(name: "CombineInspection", package: "swift-combine"),
      ]
    ),
    .target(
      name: "BenchmarksOpenCombine",
      dependencies: [
        "BenchmarkSupport",
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      ],
      swiftSettings: [.define("OPENCOMBINE")]
    ),
    .target(
      name: "BenchmarksAsyncAlgorithms",
      dependencies: ["BenchmarkSupport", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms")]
    ),
    .target(name: "BenchmarksByHand", dependencies: ["BenchmarkSupport"]),

    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CAllocationCounter", "CCallgrind", "BenchmarkSupport", "BenchmarkReports", "BenchmarksOurs",
        "BenchmarksOpenCombine", "BenchmarksAsyncAlgorithms", "BenchmarksByHand",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      linkerSettings: [
        // Valgrind up to 3.19 gives up where it meets today's debug information; the symbols are left.
        .unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux], configuration: .release))
      ]
    ),

    // Whether the guard notices what it is there for.
    .testTarget(name: "BenchmarkReportsTests", dependencies: ["BenchmarkReports", "BenchmarkSupport"]),
  ],
  swiftLanguageModes: [.v6]
)
