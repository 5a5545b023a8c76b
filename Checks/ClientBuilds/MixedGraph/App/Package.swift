// swift-tools-version: 6.2
import PackageDescription

// A graph in which two packages depend on OpenCombine, and the root on this library. With
//
//   swift package edit OpenCombine --path …/Companions/OpenCombine
//
// all three have the same types.
let package = Package(
  name: "App",
  dependencies: [
    // The name is given here, because the folder of a clone may have any name.
    .package(name: "swift-combine", path: "../../../.."),
    .package(path: "../Store"),
    .package(path: "../Views"),
  ],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: ["Store", "Views", .product(name: "Combine", package: "swift-combine")]
    )
  ],
  swiftLanguageModes: [.v6]
)
