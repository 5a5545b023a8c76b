// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "CombineExt",
  products: [
    .library(name: "CombineExt", targets: ["CombineExt"])
  ],
  targets: [
    .target(name: "CombineExt")
  ],
  swiftLanguageModes: [.v6]
)
