// swift-tools-version: 6.2
import PackageDescription

// The names under which other libraries are known. A package of its own, as no two packages of a graph may have targets
// of one name: only a client who wants these names depends on it.
let package = Package(
  name: "Companions",
  products: [
    .library(name: "CombineExt", targets: ["CombineExt"]),
    .library(name: "CombineSchedulers", targets: ["CombineSchedulers"]),
    .library(name: "Entwine", targets: ["Entwine"]),
    .library(name: "EntwineTest", targets: ["EntwineTest"]),
  ],
  dependencies: [
    // The name is given here, as the folder that a clone lies in may be called anything.
    .package(name: "swift-combine", path: "..")
  ],
  targets: [
    .target(name: "CombineExt", dependencies: [.product(name: "CombineExtras", package: "swift-combine")]),
    .target(
      name: "CombineSchedulers",
      dependencies: [
        .product(name: "CombineExtras", package: "swift-combine"),
        .product(name: "CombineTesting", package: "swift-combine"),
      ]
    ),
    .target(name: "Entwine", dependencies: [.product(name: "CombineExtras", package: "swift-combine")]),
    .target(
      name: "EntwineTest",
      dependencies: [
        .product(name: "CombineExtras", package: "swift-combine"),
        .product(name: "CombineTesting", package: "swift-combine"),
      ]
    ),

    .testTarget(
      name: "CombineExtTests",
      dependencies: ["CombineExt", .product(name: "CombineTesting", package: "swift-combine")]
    ),
    .testTarget(name: "CombineSchedulersTests", dependencies: ["CombineSchedulers"]),
    .testTarget(name: "EntwineTestTests", dependencies: ["EntwineTest"]),
    // Files that import several of these modules.
    .testTarget(
      name: "CombinedImportTests",
      dependencies: [
        "CombineExt", "CombineSchedulers", "EntwineTest", .product(name: "CombineTesting", package: "swift-combine"),
      ]
    ),
    // Apart, as the methods that one file imports are found in all files of a target.
    .testTarget(name: "SharedNamesTests", dependencies: ["CombineExt", "Entwine"]),
    .testTarget(name: "EntwineTests", dependencies: ["Entwine", "EntwineTest"]),
  ],
  swiftLanguageModes: [.v6]
)
