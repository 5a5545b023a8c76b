// swift-tools-version: 6.1
import PackageDescription

// A client of this package and of others that have targets named as the libraries in `Companions` are. SwiftPM refuses
// two targets of one name in a graph, even where the client uses neither of them.
let package = Package(
  name: "NameClashes",
  dependencies: [
    // The name is given here, as the folder that a clone lies in may be called anything.
    .package(name: "swift-combine", path: "../.."),
    .package(path: "Others/combine-schedulers"),
    .package(path: "Others/Entwine"),
    .package(path: "Others/CombineExt"),
  ],
  targets: [
    .executableTarget(
      name: "Client",
      dependencies: [
        // The smallest product, as the build takes the time: the names of the others are in the graph all the same.
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
