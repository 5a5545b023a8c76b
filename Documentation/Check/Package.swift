// swift-tools-version: 6.1
import PackageDescription

// A separate package from the one whose targets are documented, because the plugin would document this one too.
let package = Package(
  name: "Check",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2")
  ],
  targets: [
    .executableTarget(
      name: "check-documentation",
      dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]
    )
  ],
  swiftLanguageModes: [.v6]
)
