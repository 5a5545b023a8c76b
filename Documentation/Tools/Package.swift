// swift-tools-version: 6.2
import PackageDescription

// A separate package from the one whose targets are documented, because the plugin would document this one too.
let package = Package(
  name: "Tools",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
    .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
  ],
  targets: [
    // Listings in comments and articles: found, compiled, run.
    .target(name: "Listings"),
    .executableTarget(
      name: "check-documentation",
      dependencies: ["Listings", .product(name: "ArgumentParser", package: "swift-argument-parser")]
    ),
    // The site: diagrams drawn from runs, archives, links.
    .target(
      name: "Site",
      dependencies: [
        "Listings",
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      resources: [.copy("Public")]
    ),
    .executableTarget(
      name: "documentation-site",
      dependencies: ["Site", .product(name: "ArgumentParser", package: "swift-argument-parser")]
    ),
    .testTarget(name: "SiteTests", dependencies: ["Listings", "Site"]),
    // The pages in a browser. The driver is that of the examples' tests, through a link.
    .testTarget(
      name: "BrowserTests",
      dependencies: [
        "Site",
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
