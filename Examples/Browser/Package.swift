// swift-tools-version: 6.2
import PackageDescription

// Pages without a server: a search as you type, and operators to play with. See `build`.
let package = Package(
  name: "Browser",
  dependencies: [
    // Named, so that the folder of the checkout may have any name.
    .package(name: "swift-combine", path: "../..")
  ],
  targets: [
    // What a page and a Swift program say to each other. Its other half is `Public/swift.js`.
    .target(name: "CBrowser"),
    .executableTarget(
      name: "search",
      dependencies: [
        "CBrowser",
        .product(name: "CombineCore", package: "swift-combine"),
        .product(name: "CombineExtras", package: "swift-combine"),
      ],
      // A program without `main`: the page calls its functions.
      linkerSettings: [.unsafeFlags(["-Xclang-linker", "-mexec-model=reactor"])]
    ),
    // The runs of the page *Operators*, by links to the files of the recipes.
    .executableTarget(
      name: "play",
      dependencies: [
        "CBrowser",
        .product(name: "CombineExtras", package: "swift-combine"),
        .product(name: "CombineTesting", package: "swift-combine"),
      ],
      linkerSettings: [.unsafeFlags(["-Xclang-linker", "-mexec-model=reactor"])]
    ),
  ],
  swiftLanguageModes: [.v6]
)
