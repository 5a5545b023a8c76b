// swift-tools-version: 5.9
import PackageDescription

// Code as it was written for OpenCombine: by URL and version, in the Swift 5 language mode. The step `opencombine` builds it
// against OpenCombine, and then unchanged against `Companions/OpenCombine`.
let package = Package(
  name: "OldClient",
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0")
  ],
  targets: [
    // View models, which import each module by its name.
    .target(
      name: "Models",
      dependencies: [
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
        .product(name: "OpenCombineFoundation", package: "OpenCombine"),
      ]
    ),
    // Every wrapper. It prints what it receives.
    .executableTarget(
      name: "Client",
      dependencies: ["Models", .product(name: "OpenCombineShim", package: "OpenCombine")]
    ),
    // Time and allocations.
    .target(name: "CAllocationCounter"),
    .executableTarget(
      name: "Measure",
      dependencies: ["CAllocationCounter", .product(name: "OpenCombineShim", package: "OpenCombine")]
    ),
  ]
)
