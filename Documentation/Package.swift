// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that nobody who uses the library downloads the documentation plugin. The plugin documents
// only targets of the package that it runs in: these are the library's, through a link to its sources.
let package = Package(
  name: "Documentation",
  products: [
    // What the diagrams in comments are linked with when they are run.
    .library(name: "Library", type: .dynamic, targets: ["CombineNetworking", "CombineTesting"])
  ],
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-docc-plugin.git", from: "1.5.0")
  ],
  targets: [
    .target(name: "CCombinePlatform", path: "Library/CCombinePlatform"),
    .target(name: "CombineCore", dependencies: ["CCombinePlatform"], path: "Library/CombineCore"),
    .target(name: "CombineDispatch", dependencies: ["CombineCore"], path: "Library/CombineDispatch"),
    .target(name: "CombineFoundation", dependencies: ["CombineDispatch"], path: "Library/CombineFoundation"),
    .target(name: "CombineNetworking", dependencies: ["CombineFoundation"], path: "Library/CombineNetworking"),
    .target(name: "CombineExtras", dependencies: ["CombineFoundation"], path: "Library/CombineExtras"),
    .target(name: "CombineTesting", dependencies: ["CombineExtras"], path: "Library/CombineTesting"),
  ],
  swiftLanguageModes: [.v6]
)
