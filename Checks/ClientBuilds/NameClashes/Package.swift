// swift-tools-version: 6.2
import PackageDescription

// A client of this package and of other packages whose targets have the names of the libraries in `Companions`. SwiftPM
// rejects two targets with the same name in a graph, even if the client uses neither of them.
let package = Package(
  name: "NameClashes",
  dependencies: [
    // The name is given here, because the folder of a clone may have any name.
    .package(name: "swift-combine", path: "../../.."),
    .package(path: "Others/combine-schedulers"),
    .package(path: "Others/Entwine"),
    .package(path: "Others/CombineExt"),
  ],
  targets: [
    .executableTarget(
      name: "Client",
      dependencies: [
        // The smallest product, for a short build. The names of the other targets are in the graph anyway.
        .product(name: "CombineCore", package: "swift-combine"),
        .product(name: "CombineSchedulers", package: "combine-schedulers"),
        .product(name: "Entwine", package: "Entwine"),
        .product(name: "EntwineTest", package: "Entwine"),
        .product(name: "CombineExt", package: "CombineExt"),
      ]
    )
  ],
  swiftLanguageModes: [.v6]
)
