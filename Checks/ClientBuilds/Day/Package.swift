// swift-tools-version: 5.9
import PackageDescription

// An app's day: thirty pipelines in six files. The step `client-day` measures how long it takes to build them, from the
// beginning and after a changed line, against OpenCombine and against this library.
let package = Package(
  name: "Day",
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0")
  ],
  targets: [
    .executableTarget(name: "Day", dependencies: [.product(name: "OpenCombineShim", package: "OpenCombine")])
  ]
)
