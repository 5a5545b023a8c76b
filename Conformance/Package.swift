// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses the library downloads OpenCombine.
let package = Package(
  name: "Conformance",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The name is given here, as the folder that a clone lies in may be called anything.
    .package(name: "swift-combine", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
  ],
  targets: [
    // Scripts, how they are made at random and how they are made smaller. Knows neither library.
    .target(name: "Scripts"),

    // The stage that plays a script, and the catalogue of what it can play: one source, compiled against each library.
    .target(
      name: "StageOurs",
      dependencies: [
        "Scripts", "SpecModels", .product(name: "CombineCore", package: "swift-combine"),
        .product(name: "CombineExtras", package: "swift-combine"),
      ]
    ),
    .target(
      name: "StageOpenCombine",
      dependencies: ["Scripts", .product(name: "OpenCombine", package: "OpenCombine")],
      swiftSettings: [.define("OPENCOMBINE")]
    ),

    // What the peer lacks, written down from the specification.
    .target(name: "SpecModels", dependencies: [.product(name: "CombineCore", package: "swift-combine")]),

    // Processes in which a script may trap or hang.
    .target(name: "CSandbox"),

    .executableTarget(
      name: "conformance",
      dependencies: [
        "Scripts", "StageOurs", "StageOpenCombine", "CSandbox",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),

    // A mixed workload for a minute, whose memory has to stay flat.
    .target(name: "CMemory"),
    .executableTarget(
      name: "soak",
      dependencies: [
        "CMemory",
        // Named though the other brings it: what is not named here is not compiled anew when it changes.
        .product(name: "CombineCore", package: "swift-combine"),
        .product(name: "CombineDispatch", package: "swift-combine"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]
    ),

    // Whether the machine finds what is broken.
    .testTarget(
      name: "ConformanceTests",
      dependencies: [
        "Scripts", "StageOurs", "conformance", .product(name: "CombineCore", package: "swift-combine"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
