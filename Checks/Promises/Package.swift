// swift-tools-version: 6.0
import PackageDescription

let combine: Target.Dependency = .product(name: "Combine", package: "swift-combine")
let extras: Target.Dependency = .product(name: "CombineExtras", package: "swift-combine")

// Clients in the Swift 5 mode, as most code that moves here is. `Isolation` shows what holds in mode 6 only.
let package = Package(
  name: "Promises",
  dependencies: [.package(name: "swift-combine", path: "../..")],
  targets: [
    .executableTarget(name: "Cases", dependencies: [combine]),
    .executableTarget(name: "Extras", dependencies: [combine, extras]),
    .executableTarget(name: "Isolation", dependencies: [combine], swiftSettings: [.swiftLanguageMode(.v6)]),
    .executableTarget(name: "MainLoop", dependencies: [combine]),
  ],
  swiftLanguageModes: [.v5]
)
