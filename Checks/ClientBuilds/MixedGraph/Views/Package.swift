// swift-tools-version: 5.9
import PackageDescription

let package = Package(
  name: "Views",
  products: [.library(name: "Views", targets: ["Views"])],
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0")
  ],
  targets: [
    .target(name: "Views", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")])
  ]
)
