import Foundation

/// Type-checks examples, each as the body of a function of its own, all in one call of the compiler, which names the
/// places of errors in the library's sources.
struct ExampleCompiler {

  /// The folder with the library's modules.
  let modules: String

  /// The compiler's errors, each with the place of its example in the library's sources.
  func errors(in examples: [Example]) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appending(path: "Examples-\(UUID().uuidString).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    let functions = examples.enumerated().map { index, example in
      // Asynchronous only where it has to be: some functions are not for use from there.
      let isAsynchronous = example.code.contains { $0.contains("await ") }
      return """
        func example\(index)() \(isAsynchronous ? "async " : "")throws {
        #sourceLocation(file: "\(example.file)", line: \(example.line))
        \(example.code.map { $0.hasPrefix("import ") ? "" : $0 }.joined(separator: "\n"))
        #sourceLocation()
        }
        """
    }
    // What an example imports is imported here: a function's body cannot.
    let imports = ["CombineNetworking", "Dispatch", "Foundation", "FoundationNetworking", "Observation"]
    try (imports.map { "import \($0)" } + functions).joined(separator: "\n").write(
      to: file,
      atomically: true,
      encoding: .utf8
    )

    let compiler = Process()
    let output = Pipe()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm", "-I", modules, file.path,
    ]
    compiler.standardError = output
    try compiler.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    compiler.waitUntilExit()

    let errors = text.components(separatedBy: "\n").filter { $0.contains(" error: ") }
    // A compiler that fails without an error of the usual form has not checked anything.
    return errors.isEmpty && compiler.terminationStatus != 0 ? [text] : errors
  }
}
