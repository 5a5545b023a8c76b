// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "combine-schedulers",
  products: [
    .library(name: "CombineSchedulers", targets: ["CombineSchedulers"])
  ],
  targets: [
    .target(name: "CombineSchedulers")
  ],
  swiftLanguageModes: [.v6]
)
