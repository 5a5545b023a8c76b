// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that nobody who uses the library downloads OpenCombine.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The name is given here, as the folder that a clone lies in may be called anything.
    .package(name: "swift-combine", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
  ],
  targets: [
    .target(name: "CAllocationCounter"),
    .target(name: "BenchmarkSupport"),

    // The contestants. The first two are one source file, compiled against one library each.
    .target(
      name: "BenchmarksOurs",
      dependencies: ["BenchmarkSupport", .product(name: "CombineCore", package: "swift-combine")]
    ),
    .target(
      name: "BenchmarksOpenCombine",
      dependencies: ["BenchmarkSupport", .product(name: "OpenCombine", package: "OpenCombine")],
      swiftSettings: [.define("OPENCOMBINE")]
    ),
    .target(name: "BenchmarksByHand", dependencies: ["BenchmarkSupport"]),

    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CAllocationCounter", "BenchmarkSupport", "BenchmarksOurs", "BenchmarksOpenCombine", "BenchmarksByHand",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
