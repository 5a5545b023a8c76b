// swift-tools-version: 5.9
import PackageDescription

let package = Package(
  name: "Store",
  products: [.library(name: "Store", targets: ["Store"])],
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0")
  ],
  targets: [
    .target(name: "Store", dependencies: [.product(name: "OpenCombineShim", package: "OpenCombine")])
  ]
)
