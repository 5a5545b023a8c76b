// swift-tools-version: 6.2
import PackageDescription

// A page without a server: `search.wasm` is loaded by `Public/index.html`. See `build`.
let package = Package(
  name: "Browser",
  dependencies: [
    // Named, so that the folder of the checkout may have any name.
    .package(name: "swift-combine", path: "../..")
  ],
  targets: [
    // What a page and a Swift program say to each other. Its other half is `Public/swift.mjs`.
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
  ],
  swiftLanguageModes: [.v6]
)
