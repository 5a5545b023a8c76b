// swift-tools-version: 6.1
import PackageDescription

// What a client sees of the price of generic, inlinable code: how long a long pipeline takes to build, and that the
// optimiser gets through what is made of it. `.ci/run` times a clean release build.
let package = Package(
  name: "ClientBuild",
  dependencies: [
    // The name is given here, as the folder that a clone lies in may be called anything.
    .package(name: "swift-combine", path: "..")
  ],
  targets: [
    .executableTarget(name: "TwentyStages", dependencies: [.product(name: "Combine", package: "swift-combine")]),
    .executableTarget(name: "Chains", dependencies: [.product(name: "Combine", package: "swift-combine")]),
  ],
  swiftLanguageModes: [.v6]
)
