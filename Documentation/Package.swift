// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that nobody who uses the library downloads the documentation plugin. The plugin documents
// only targets of the package that it runs in: these are the library's, through a link to its sources.
let package = Package(
  name: "Documentation",
  dependencies: [
    .package(url: "https://github.com/swiftlang/swift-docc-plugin.git", from: "1.5.0")
  ],
  targets: [
    .target(name: "CombineCore", path: "Library/CombineCore"),
    .target(name: "CombineDispatch", dependencies: ["CombineCore"], path: "Library/CombineDispatch"),
    .target(name: "CombineFoundation", dependencies: ["CombineDispatch"], path: "Library/CombineFoundation"),
    .target(name: "CombineNetworking", dependencies: ["CombineFoundation"], path: "Library/CombineNetworking"),
    .target(name: "CombineTesting", dependencies: ["CombineCore"], path: "Library/CombineTesting"),
  ],
  swiftLanguageModes: [.v6]
)
