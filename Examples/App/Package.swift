// swift-tools-version: 6.2
import PackageDescription

// In your own repository, depend on swift-combine by its URL:
//
//   .package(url: "https://github.com/OWNER/swift-combine", branch: "main")
//
// On Apple's platforms, the system's Combine is used.
let others = TargetDependencyCondition.when(platforms: [.linux, .windows, .android, .wasi, .openbsd])

let package = Package(
  name: "App",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "swift-combine", path: "../..")],
  targets: [
    .target(
      name: "FileFinder",
      dependencies: [.product(name: "Combine", package: "swift-combine", condition: others)]
    ),
    .executableTarget(name: "find-files", dependencies: ["FileFinder"]),
    .testTarget(
      name: "FileFinderTests",
      dependencies: ["FileFinder", .product(name: "CombineTesting", package: "swift-combine", condition: others)]
    ),
  ],
  swiftLanguageModes: [.v6]
)
