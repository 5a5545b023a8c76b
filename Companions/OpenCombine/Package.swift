// swift-tools-version: 6.2
import PackageDescription

// The modules of OpenCombine, for code that imports them. A package of its own, because its folder and its name must be
// OpenCombine's: that is how SwiftPM knows that it takes the place of OpenCombine.
//
// No target depends on the module `Combine`. In a build folder that contains it, `#if canImport(Combine)` becomes true, and
// clients of OpenCombine contain that condition.
let package = Package(
  name: "OpenCombine",
  products: [
    .library(name: "OpenCombine", targets: ["OpenCombine"]),
    .library(name: "OpenCombineDispatch", targets: ["OpenCombineDispatch"]),
    .library(name: "OpenCombineFoundation", targets: ["OpenCombineFoundation"]),
    .library(name: "OpenCombineShim", targets: ["OpenCombineShim"]),
  ],
  dependencies: [
    // The name is given here, because the folder of a clone may have any name.
    .package(name: "swift-combine", path: "../..")
  ],
  targets: [
    .target(name: "OpenCombine", dependencies: [.product(name: "CombineCore", package: "swift-combine")]),
    .target(
      name: "OpenCombineDispatch",
      dependencies: ["OpenCombine", .product(name: "CombineDispatch", package: "swift-combine")]
    ),
    .target(
      name: "OpenCombineFoundation",
      dependencies: ["OpenCombine", .product(name: "CombineNetworking", package: "swift-combine")]
    ),
    .target(name: "OpenCombineShim", dependencies: ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"]),

    .testTarget(name: "OpenCombineTests", dependencies: ["OpenCombine"]),
    .testTarget(name: "OpenCombineDispatchTests", dependencies: ["OpenCombineDispatch"]),
    .testTarget(name: "OpenCombineFoundationTests", dependencies: ["OpenCombineFoundation"]),
    // Code that imports nothing else.
    .testTarget(name: "OpenCombineShimTests", dependencies: ["OpenCombineShim"]),
  ],
  swiftLanguageModes: [.v6]
)

// As the library itself: in the Swift 5 language mode, so that a client in the Swift 6 mode inserts the runtime's check that
// an action of an actor runs on that actor. All that the Swift 6 mode checks here is enabled nevertheless.
let featuresOfSwift6 = [
  "ConciseMagicFile", "ForwardTrailingClosures", "StrictConcurrency", "BareSlashRegexLiterals",
  "DeprecateApplicationMain",
  "ImportObjcForwardDeclarations", "DisableOutwardActorInference", "IsolatedDefaultValues", "GlobalConcurrency",
  "InferSendableFromCaptures", "RegionBasedIsolation", "ImplicitOpenExistentials", "DynamicActorIsolation",
  "NonfrozenEnumExhaustivity", "GlobalActorIsolatedTypesUsability",
]
for target in package.targets where target.type == .regular {
  target.swiftSettings = [.swiftLanguageMode(.v5)] + featuresOfSwift6.map { .enableUpcomingFeature($0) }
}
