import Foundation
import Synchronization

/// A tool that type-checks listings, runs them, and maps errors to their places in the library's sources.
public struct ListingCompiler: Sendable {

  /// The folder with the library's sources.
  let sources: URL

  /// The folder of the library's build.
  let build: URL

  /// The modules of the library that listings may import.
  let modules: LibraryModules

  public init(sources: URL, build: URL, modules: LibraryModules = .all) {
    self.sources = sources
    self.build = build
    self.modules = modules
  }

  // MARK: Errors

  /// Returns the compiler's errors, each with the place of its listing in the library's sources.
  public func errors(in listings: [Listing]) throws -> [String] {
    // Those of articles are compiled as shown.
    let groups = Dictionary(grouping: listings.filter { !$0.isShownWhole }, by: \.form)
    // One call of the compiler checks all functions.
    var errors = try errors(inSource: imports + functions(of: groups[.function] ?? []), [])
    for listing in groups[.declarations] ?? [] {
      errors += try self.errors(inSource: imports + listing.located, [])
    }
    for listing in groups[.tests] ?? [] {
      let source = imports + "import Testing\nimport XCTest\n" + listing.located
      errors += try self.errors(inSource: source, ["-parse-as-library"] + Toolchain.testing)
    }
    for listing in groups[.manifest] ?? [] {
      let arguments = try Toolchain.arguments(ofManifest: listing.code)
      errors += try self.errors(inSource: listing.code.joined(separator: "\n"), arguments)
    }
    return errors
  }

  private func errors(inSource source: String, _ options: [String]) throws -> [String] {
    try withFile(of: source) { file in
      let result = try Program.run(compiling(file) + ["-typecheck"] + options)
      let errors = result.errorOutput.components(separatedBy: "\n").filter { $0.contains(" error: ") }
      // If the compiler fails without an error in the usual form, it has checked nothing.
      return errors.isEmpty && result.status != 0 ? [result.errorOutput] : errors
    }
  }

  /// Compiles the listings of articles alone, as a reader copies them: a whole file with its own imports, whose statements are
  /// at the top level. Those that state their output are run, each as a program.
  ///
  /// - Returns: For each listing that is shown whole, its errors.
  public func errorsAsShown(in listings: [Listing]) throws -> [[String]] {
    let listings = listings.filter(\.isShownWhole)
    return try withLibrary { linking in
      let errors = Mutex<[[String]]>(Array(repeating: [], count: listings.count))
      let failures = Mutex<[any Error]>([])
      DispatchQueue.concurrentPerform(iterations: listings.count) { index in
        do {
          let found = try self.errorsAsShown(in: listings[index], linking)
          errors.withLock { $0[index] = found }
        } catch {
          failures.withLock { $0.append(error) }
        }
      }
      if let failure = failures.withLock({ $0.first }) { throw failure }
      return errors.withLock(\.self)
    }
  }

  private func errorsAsShown(in listing: Listing, _ linking: [String]) throws -> [String] {
    let source = listing.located(keepingImports: true)
    let isolation = listing.isOnMainActor ? ["-default-isolation", "MainActor"] : []
    guard let output = listing.output else {
      let options = listing.form == .tests ? try ["-parse-as-library"] + Toolchain.testing : []
      return try errors(inSource: source, options + isolation)
    }
    return try withFile(of: source) { file in
      let program = file.deletingPathExtension().path
      let compilation = try Program.run(compiling(file) + isolation + linking + ["-o", program])
      guard compilation.status == 0 else { return [compilation.errorOutput] }
      // One that hangs is a failure of its own, not of the whole check.
      let result = try Program.run(["timeout", "60", program])
      let printed = Self.lines(of: result.output).joined(separator: ", ")
      if result.status == 0, printed == output { return [] }
      return [
        "\(listing.file):\(listing.line): error: as a program, it ends with \(result.status) and prints \(printed)"
      ]
    }
  }

  /// Links the library once, so that each of many programs is linked fast.
  private func withLibrary<Result>(_ body: ([String]) throws -> Result) throws -> Result {
    let linking = modules.linking(sources: sources, build: build)
    guard modules == .withoutTraits else { return try body(linking) }
    let folder = FileManager.default.temporaryDirectory.appending(path: "Library-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let library = folder.appending(path: "libLibrary.so").path
    let result = try Program.run(["swiftc", "-emit-library", "-o", library] + linking)
    guard result.status == 0 else { throw ToolError(result.errorOutput) }
    return try body(["-L", folder.path, "-lLibrary", "-Xlinker", "-rpath", "-Xlinker", folder.path])
  }

  // MARK: Runs

  /// Runs the diagrams, and the listings that state their output. They must already compile.
  ///
  /// - Returns: The failures, each with the place of its listing in the library's sources.
  public func failures(in listings: [Listing]) throws -> [String] {
    // Those of articles are run as shown.
    let listings = listings.filter { $0.isDiagram || $0.output != nil && !$0.isShownWhole }
    let result = try output(of: listings) { "try \($0)" }
    // Without a test framework, a diagram that is wrong is written to the standard error stream.
    var failures = result.errorOutput.allSatisfy(\.isWhitespace) ? [] : [result.errorOutput]
    if result.status != 0 { failures.append("the listings ended with status \(result.status)") }
    for (listing, output) in zip(listings, result.outputs.map { $0.joined(separator: ", ") })
    where output != listing.output ?? output {
      failures.append(
        "\(listing.file):\(listing.line): error: the listing prints \"\(output)\", not \"\(listing.output!)\""
      )
    }
    return failures
  }

  /// What a program of listings has written.
  public struct Output: Sendable {
    public let status: Int32
    public let errorOutput: String

    /// The lines that each listing has printed.
    public let outputs: [[String]]
  }

  /// Runs listings in one program, one after the other.
  ///
  /// - Parameters:
  ///   - listings: The listings.
  ///   - imports: More imports.
  ///   - call: A closure that receives the call of a listing's function, and returns the statement that runs it.
  public func output(
    of listings: [Listing],
    importing imports: String = "",
    _ call: (String) -> String
  ) throws -> Output {
    let separator = "\u{1}"
    let calls = listings.indices.map { index in
      let function = "\(listings[index].isAsynchronous ? "await " : "")example\(index)()"
      return "print(\"\\u{1}\")\nfflush(nil)\n\(call(function))"
    }
    let source = self.imports + imports + functions(of: listings) + "\n" + calls.joined(separator: "\n")
    return try withFile(of: source) { file in
      let program = file.deletingPathExtension()
      defer { try? FileManager.default.removeItem(at: program) }
      let linking = modules.linking(sources: sources, build: build) + ["-o", program.path]
      let compilation = try Program.run(compiling(file) + linking)
      guard compilation.status == 0 else { throw ToolError(compilation.errorOutput) }
      let result = try Program.run([program.path])
      let parts = result.output.components(separatedBy: separator).dropFirst()
      guard parts.count == listings.count else {
        throw ToolError("\(parts.count) of \(listings.count) listings ran\n\(result.errorOutput)")
      }
      return Output(status: result.status, errorOutput: result.errorOutput, outputs: parts.map(Self.lines(of:)))
    }
  }

  /// Returns the lines of an output. A type within a function has a name that a remark cannot have.
  private static func lines(of output: String) -> [String] {
    output.replacing(#/main\.(\(unknown context at \$[0-9a-f]+\)\.)+/#, with: "").components(separatedBy: "\n").filter {
      !$0.isEmpty
    }
  }

  // MARK: Sources

  /// Returns the arguments that compile a file that imports the library.
  private func compiling(_ file: URL) -> [String] {
    ["swiftc", "-swift-version", "6", "-diagnostic-style", "llvm", file.path]
      + Toolchain.searchPaths(sources: sources, build: build)
  }

  /// What a listing may import. The file imports it, because a function's body cannot.
  private var imports: String {
    (modules.imported + ["Dispatch", "Foundation", "FoundationNetworking", "Observation"])
      .map { "import \($0)\n" }.joined()
  }

  /// Returns a source with each listing as the body of a function.
  private func functions(of listings: [Listing]) -> String {
    let functions = listings.enumerated().map { index, listing in
      // A function is asynchronous only if it must be, because some functions are not available in asynchronous
      // contexts.
      """
      func example\(index)() \(listing.isAsynchronous ? "async " : "")throws {
      \(listing.located)
      \(listing.printing.joined(separator: "\n"))
      }
      """
    }
    return functions.joined(separator: "\n")
  }

  /// Writes a source to a temporary file for the duration of a call.
  private func withFile<Result>(of source: String, _ body: (URL) throws -> Result) throws -> Result {
    // The name `main.swift` is that of a file with statements.
    let folder = FileManager.default.temporaryDirectory.appending(path: "Listings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "main.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    return try body(file)
  }
}

extension Listing {

  fileprivate var isAsynchronous: Bool {
    code.contains { $0.contains("await ") }
  }

  /// The code without imports, with its place in the sources for the compiler.
  fileprivate var located: String { located(keepingImports: false) }

  fileprivate func located(keepingImports keepsImports: Bool) -> String {
    """
    #sourceLocation(file: "\(file)", line: \(line))
    \(code.map { $0.hasPrefix("import ") && !keepsImports ? "" : $0 }.joined(separator: "\n"))
    #sourceLocation()
    """
  }
}
