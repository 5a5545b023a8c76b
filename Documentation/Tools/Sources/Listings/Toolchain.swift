import Foundation

/// What the compiler on the path says of itself. It is asked once.
enum Toolchain {

  private struct Info: Decodable {

    struct Target: Decodable { let triple: String }
    struct Paths: Decodable { let runtimeResourcePath: String }

    let target: Target
    let paths: Paths
  }

  private static let info = Result {
    try JSONDecoder().decode(Info.self, from: Data(Program.run(["swiftc", "-print-target-info"]).output.utf8))
  }

  /// The platform that it compiles for.
  static var triple: String {
    get throws { try info.get().target.triple }
  }

  /// The arguments that make it find the testing libraries.
  static var testing: [String] {
    get throws { ["-plugin-path", try resources("host/plugins/testing")] }
  }

  /// Returns the arguments that compile a package's manifest, with the version of the tools that its first line names.
  static func arguments(ofManifest code: [String]) throws -> [String] {
    let version = code.first?.firstMatch(of: /swift-tools-version: *([0-9.]+)/)?.1 ?? "6.1"
    return ["-I", try resources("pm/ManifestAPI"), "-package-description-version", String(version)]
  }

  /// The arguments that make it find the modules of the library, and those that they are built on.
  ///
  /// - Parameters:
  ///   - sources: The folder with the library's sources.
  ///   - build: The folder of the library's build.
  static func searchPaths(sources: URL, build: URL) -> [String] {
    let files = FileManager.default
    func contents(_ folder: URL) -> [URL] {
      ((try? files.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
        .sorted { $0.path < $1.path }
    }
    // A module of C has a map in its sources, or one that the package manager has made.
    let build = build.resolvingSymlinksInPath()
    let checkouts = build.deletingLastPathComponent().deletingLastPathComponent().appending(path: "checkouts")
    let includes = contents(checkouts)
      .flatMap { contents($0.appending(path: "Sources")) }
      .map { $0.appending(path: "include") }
    let own = [build.appending(path: "Modules"), sources.appending(path: "CCombinePlatform/include")]
    let folders =
      own + [sources.appending(path: "CNATS")]
      + includes.filter { files.fileExists(atPath: $0.appending(path: "module.modulemap").path) }
    let maps = contents(build)
      .map { $0.appending(path: "module.modulemap") }
      .filter { files.fileExists(atPath: $0.path) }
    return folders.flatMap { ["-I", $0.path] } + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
  }

  private static func resources(_ path: String) throws -> String {
    URL(filePath: try info.get().paths.runtimeResourcePath).appending(path: path).path
  }
}
