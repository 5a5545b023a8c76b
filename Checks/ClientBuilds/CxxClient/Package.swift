// swift-tools-version: 6.2
import PackageDescription

// A client that is compiled with C++ interoperability, because it calls a library in C++. The compiler then reads the
// library's C headers as C++.
let package = Package(
  name: "CxxClient",
  dependencies: [
    // The name is given here, because the folder of a clone may have any name.
    .package(name: "swift-combine", path: "../../..")
  ],
  targets: [
    .target(name: "Thermometer"),
    .executableTarget(
      name: "CxxClient",
      dependencies: [
        "Thermometer", .product(name: "Combine", package: "swift-combine"),
        .product(name: "CombineExtras", package: "swift-combine"),
        .product(name: "CombineTesting", package: "swift-combine"),
      ],
      swiftSettings: [.interoperabilityMode(.Cxx)]
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
