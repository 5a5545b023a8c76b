// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Entwine",
  products: [
    .library(name: "Entwine", targets: ["Entwine"]),
    .library(name: "EntwineTest", targets: ["EntwineTest"]),
  ],
  targets: [
    .target(name: "Entwine"),
    .target(name: "EntwineTest"),
  ],
  swiftLanguageModes: [.v6]
)
