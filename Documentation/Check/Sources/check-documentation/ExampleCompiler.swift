import Foundation

/// Type-checks examples, and names the places of errors in the library's sources.
struct ExampleCompiler {

  /// The folder with the library's modules.
  let modules: String

  /// The compiler's errors, each with the place of its example in the library's sources.
  func errors(in examples: [Example]) throws -> [String] {
    // All in one call of the compiler, each as the body of a function of its own. Only a type that a macro extends
    // must stand at the top.
    let (atTheTop, inFunctions) = (examples.filter(\.extendsByMacro), examples.filter { !$0.extendsByMacro })
    let functions = inFunctions.enumerated().map { index, example in
      // Asynchronous only where it has to be: some functions are not for use from there.
      let isAsynchronous = example.code.contains { $0.contains("await ") }
      return """
        func example\(index)() \(isAsynchronous ? "async " : "")throws {
        \(example.located)
        }
        """
    }
    return try errors(inSource: functions.joined(separator: "\n"))
      + atTheTop.flatMap { try errors(inSource: $0.located) }
  }

  private func errors(inSource source: String) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appending(path: "Examples-\(UUID().uuidString).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    // What an example imports is imported here: a function's body cannot.
    let imports = [
      "CombineNetworking", "CombineTesting", "Dispatch", "Foundation", "FoundationNetworking", "Observation",
    ]
    let text = imports.map { "import \($0)\n" }.joined() + source
    try text.write(to: file, atomically: true, encoding: .utf8)

    let compiler = Process()
    let output = Pipe()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm", "-I", modules, file.path,
    ]
    compiler.standardError = output
    try compiler.run()
    let diagnostics = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    compiler.waitUntilExit()

    let errors = diagnostics.components(separatedBy: "\n").filter { $0.contains(" error: ") }
    // A compiler that fails without an error of the usual form has not checked anything.
    return errors.isEmpty && compiler.terminationStatus != 0 ? [diagnostics] : errors
  }
}

extension Example {

  /// Whether it declares a type that a macro extends.
  fileprivate var extendsByMacro: Bool {
    code.contains { $0.hasPrefix("@Observable") }
  }

  /// Its code without imports, with its place in the sources for the compiler.
  fileprivate var located: String {
    """
    #sourceLocation(file: "\(file)", line: \(line))
    \(code.map { $0.hasPrefix("import ") ? "" : $0 }.joined(separator: "\n"))
    #sourceLocation()
    """
  }
}
