// swift-tools-version: 6.2
import PackageDescription

// A client that shows the cost of generic, inlinable code. It shows how long a long pipeline takes to build, and that
// the optimizer can handle the result. the step `client-build` times a clean release build.
let package = Package(
  name: "ClientBuild",
  dependencies: [
    // The name is given here, because the folder of a clone may have any name.
    .package(name: "swift-combine", path: "..")
  ],
  targets: [
    .executableTarget(name: "TwentyStages", dependencies: [.product(name: "Combine", package: "swift-combine")]),
    .executableTarget(name: "Chains", dependencies: [.product(name: "Combine", package: "swift-combine")]),
  ],
  swiftLanguageModes: [.v6]
)
