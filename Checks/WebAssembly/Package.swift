// swift-tools-version: 6.2
import PackageDescription

// Programs that print the same lines on every platform: on this machine, and as WebAssembly, which has 32 bits, and neither
// threads nor, with the SDK that `.ci/tools/webassembly` makes, Foundation and Dispatch. `compare` runs them on both.

func library(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-combine") }

let package = Package(
  name: "WebAssembly",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-combine", path: "../..")],
  targets: [
    // The conformance machine without the peer, by links to its folders.
    .target(name: "Scripts", path: "Conformance/Scripts"),
    .target(name: "SpecModels", dependencies: [library("CombineCore")], path: "Conformance/SpecModels"),
    .target(
      name: "StageOurs",
      dependencies: ["Scripts", "SpecModels", library("CombineCore"), library("CombineExtras")],
      path: "Conformance/StageOurs"
    ),
    // A thousand scripts of it, against the models.
    .executableTarget(name: "scripts", dependencies: ["Scripts", "StageOurs"], path: "Programs/scripts"),

    // The recipes that need neither a server nor Foundation, by links to their files.
    .executableTarget(
      name: "recipes",
      dependencies: [library("Combine"), library("CombineExtras"), library("CombineTesting")],
      path: "Programs/recipes"
    ),
    // The first scene of each operator of the page *Operators*, by links to its files.
    .executableTarget(
      name: "marbles",
      dependencies: [library("CombineExtras"), library("CombineTesting")],
      path: "Programs/marbles"
    ),
    // Every module: leaks, marbles, demand at its limits.
    .executableTarget(
      name: "modules",
      dependencies: [
        library("Combine"), library("CombineExtras"), library("CombineTesting"), library("CombineInspection"),
      ],
      path: "Programs/modules"
    ),
    // The clock's scheduler in real time.
    .executableTarget(
      name: "clock",
      dependencies: [library("CombineCore"), library("CombineExtras")],
      path: "Programs/clock"
    ),
    // What three rows cost. Not compared.
    .executableTarget(name: "speed", dependencies: [library("CombineCore")], path: "Programs/speed"),
    // A client, for its size.
    .executableTarget(name: "client", dependencies: [library("CombineCore")], path: "Programs/client"),
  ],
  swiftLanguageModes: [.v6]
)
