import Foundation

/// A tool that type-checks examples, runs diagrams, and maps errors to their places in the library's sources.
struct ExampleCompiler {

  /// The folder with the library's sources.
  let sources: URL

  /// The folder of the library's build.
  let build: URL

  /// Returns the compiler's errors, each with the place of its example in the library's sources.
  func errors(in examples: [Example]) throws -> [String] {
    // One call of the compiler checks all examples, each as the body of a function. Only a type that a macro extends
    // must be at the top level.
    let (atTheTop, inFunctions) = (examples.filter(\.extendsByMacro), examples.filter { !$0.extendsByMacro })
    return try errors(inSource: functions(of: inFunctions))
      + atTheTop.flatMap { try errors(inSource: $0.located) }
  }

  /// Runs diagrams, which must already compile.
  ///
  /// - Returns: The failures, each with the place of its example in the library's sources.
  func failures(in diagrams: [Example]) throws -> [String] {
    let calls = diagrams.indices.map { "try example\($0)()" }
    return try withFile(of: functions(of: diagrams) + "\n" + calls.joined(separator: "\n")) { file in
      let program = file.deletingPathExtension()
      defer { try? FileManager.default.removeItem(at: program) }
      let linking = [
        "-L", build.path, "-lLibrary", "-Xlinker", "-rpath", "-Xlinker", build.path, "-o", program.path,
      ]
      let compilation = try run(compiling(file) + linking)
      guard compilation.status == 0 else { return [compilation.errorOutput] }
      let result = try run([program.path])
      let isSilent = result.errorOutput.allSatisfy(\.isWhitespace)
      // Without a test framework, a failure is written to the standard error stream.
      guard isSilent else { return [result.errorOutput] }
      return result.status == 0 ? [] : ["the diagrams ended with status \(result.status)"]
    }
  }

  /// Returns the arguments that compile a file that imports the library.
  private func compiling(_ file: URL) -> [String] {
    let modules = [build.appending(path: "Modules"), sources.appending(path: "CCombinePlatform/include")]
    return ["swiftc", "-swift-version", "6", "-diagnostic-style", "llvm", file.path]
      + modules.flatMap { ["-I", $0.path] }
  }

  /// Returns a source with each example as the body of a function.
  private func functions(of examples: [Example]) -> String {
    let functions = examples.enumerated().map { index, example in
      // A function is asynchronous only if it must be, because some functions are not available in asynchronous
      // contexts.
      let isAsynchronous = example.code.contains { $0.contains("await ") }
      return """
        func example\(index)() \(isAsynchronous ? "async " : "")throws {
        \(example.located)
        }
        """
    }
    return functions.joined(separator: "\n")
  }

  private func errors(inSource source: String) throws -> [String] {
    try withFile(of: source) { file in
      let result = try run(compiling(file) + ["-typecheck"])
      let errors = result.errorOutput.components(separatedBy: "\n").filter { $0.contains(" error: ") }
      // If the compiler fails without an error in the usual form, it has checked nothing.
      return errors.isEmpty && result.status != 0 ? [result.errorOutput] : errors
    }
  }

  /// Writes a source to a temporary file for the duration of a call.
  private func withFile<Result>(of source: String, _ body: (URL) throws -> Result) throws -> Result {
    let file = FileManager.default.temporaryDirectory.appending(path: "Examples-\(UUID().uuidString).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    // The file imports the modules that an example imports, because a function's body cannot.
    let imports = [
      "CombineNetworking", "CombineTesting", "Dispatch", "Foundation", "FoundationNetworking", "Observation",
    ]
    let text = imports.map { "import \($0)\n" }.joined() + source
    try text.write(to: file, atomically: true, encoding: .utf8)
    return try body(file)
  }

  /// Runs a program to its end.
  private func run(_ arguments: [String]) throws -> (status: Int32, errorOutput: String) {
    let program = Process()
    let output = Pipe()
    program.executableURL = URL(filePath: "/usr/bin/env")
    program.arguments = arguments
    program.standardError = output
    try program.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    program.waitUntilExit()
    return (program.terminationStatus, text)
  }
}

extension Example {

  /// Whether the example is a marble diagram, which can run as a test.
  var isDiagram: Bool {
    code.contains { $0.hasPrefix("marbles") }
  }

  /// Whether the example declares a type that a macro extends.
  fileprivate var extendsByMacro: Bool {
    code.contains { $0.hasPrefix("@Observable") }
  }

  /// The code without imports, with its place in the sources for the compiler.
  fileprivate var located: String {
    """
    #sourceLocation(file: "\(file)", line: \(line))
    \(code.map { $0.hasPrefix("import ") ? "" : $0 }.joined(separator: "\n"))
    #sourceLocation()
    """
  }
}
