import Foundation

/// The modules of the library that a build contains.
public enum LibraryModules: Sendable {

  /// All modules, as the package `Documentation` builds them.
  case all

  /// The modules that are not empty without a trait, as the root package builds them.
  case withoutTraits

  /// The names of the modules, each after those it depends on.
  public var names: [String] {
    let plain = [
      "CombineCore", "CombineDispatch", "CombineFoundation", "CombineNetworking", "CombineExtras", "CombineTesting",
      "CombineInspection",
    ]
    return plain + (self == .all ? Self.behindTraits : []) + ["Combine"]
  }

  private static let behindTraits = ["CombineJetStream", "CombineNIO"]

  /// The modules that a listing may need.
  var imported: [String] {
    ["CombineNetworking", "CombineTesting", "CombineInspection"]
      + (self == .all
        ? Self.behindTraits + ["NIOCore", "NIOPosix", "Logging", "Tracing", "ServiceLifecycle"] : [])
  }

  /// Whether a listing needs none but these modules. The path of its file tells.
  public func suffice(for listing: Listing) -> Bool {
    self == .all || !Self.behindTraits.contains { listing.file.contains("/\($0)/") }
  }

  /// Returns the arguments that link a program with the modules.
  ///
  /// - Parameters:
  ///   - sources: The folder with the library's sources.
  ///   - build: The folder of the library's build.
  func linking(sources: URL, build: URL) -> [String] {
    switch self {
    case .all:
      return ["-L", build.path, "-lLibrary", "-Xlinker", "-rpath", "-Xlinker", build.path]
    case .withoutTraits:
      // The root package has no product that contains all of them, so the program is linked with their objects.
      return (["CCombinePlatform", "CombineThreads"] + names).flatMap { module in
        let folder = build.appending(path: "\(module).build")
        return Self.sources(in: sources.appending(path: module)).map { folder.appending(path: "\($0).o").path }
      }
    }
  }

  /// Returns the names of the sources in a folder. The build may still have objects of sources that are gone.
  private static func sources(in folder: URL) -> [String] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? [])
      .filter { ["swift", "c"].contains($0.pathExtension) && !$0.path.contains(".docc/") }
      .map(\.lastPathComponent)
      .sorted()
  }
}
