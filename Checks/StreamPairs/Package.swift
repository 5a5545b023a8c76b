// swift-tools-version: 6.2
import PackageDescription

// CombineJetStream and its tests alone, for the step stream-pairs. It builds them for other versions of the library, and a
// build of all tests would take four times as long. The folders are those of the repository.
let package = Package(
  name: "StreamPairs",
  platforms: [.macOS(.v15)],
  traits: [.default(enabledTraits: ["JetStream"]), "JetStream"],
  targets: [
    .target(name: "CCombinePlatform"),
    .target(name: "CombineThreads", dependencies: ["CCombinePlatform"]),
    .target(name: "CombineCore", dependencies: ["CombineThreads", "CCombinePlatform"]),
    .target(name: "CombineDispatch", dependencies: ["CombineCore"]),
    .target(name: "CombineFoundation", dependencies: ["CombineDispatch"]),
    .target(name: "CombineExtras", dependencies: ["CombineFoundation"]),
    .target(name: "CombineTesting", dependencies: ["CombineExtras"]),
    .systemLibrary(name: "CNATS", pkgConfig: "libnats"),
    .target(name: "CombineJetStream", dependencies: ["CombineExtras", "CNATS"]),
    .target(name: "TestSupport", dependencies: ["CombineCore"], path: "Tests/Support/TestSupport"),
    .target(
      name: "JetStreamSupport",
      dependencies: ["CombineJetStream", "TestSupport"],
      path: "Tests/Support/JetStreamSupport"
    ),
    .testTarget(
      name: "CombineJetStreamTests",
      dependencies: ["CombineJetStream", "JetStreamSupport", "CombineTesting", "TestSupport", "CNATS"]
    ),
  ],
  swiftLanguageModes: [.v5]
)
