import Foundation
import Testing

@testable import recipes

/// The code that the page *Operators* shows, in a file that is compiled and run with the other tests.
///
/// So the code of an operator does what the page says that it does. `WRITE_MARBLES=1 swift test` writes the file anew.
@Suite struct OperatorSourcesTests {

  private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "PageMarbles.swift")

  @Test func theFileHasEveryOperatorWithEachOfItsOptions() throws {
    let source = try Self.source()
    if ProcessInfo.processInfo.environment["WRITE_MARBLES"] != nil {
      try Data(source.utf8).write(to: Self.file)
    }
    #expect(try String(contentsOf: Self.file, encoding: .utf8) == source, "WRITE_MARBLES=1 swift test")
  }

  private static func source() throws -> String {
    var number = 0
    let tests = try (Operator.groups.flatMap(\.operators) + Operator.pictures.operators).flatMap(links).map { link in
      number += 1
      let run = try OperatorRun(query: link)
      let title = link.map { $0.value }.joined(separator: ", ")
      let test = try #require(run.test, "\(title)")
      let lines = test.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
      return "  @Test(\"\(title)\") func case\(number)() {\n\(lines)\n  }\n"
    }
    return """
      // swift-format-ignore-file
      import CombineExtras
      import CombineTesting
      import Testing

      /// The tests that the page *Operators* offers for its first scenes. OperatorSourcesTests has written this file.
      @Suite struct PageMarbles {

      \(tests.joined(separator: "\n"))}

      """
  }

  /// The links to the first scene of an operator, and to one scene for each other value of a parameter: all options, or
  /// the next number.
  private static func links(_ operation: Operator) -> [[(name: String, value: String)]] {
    let first = [(name: "op", value: operation.id)]
    return [first]
      + operation.parameters.flatMap { parameter -> [[(name: String, value: String)]] in
        let values =
          if case .choice(let options) = parameter.kind {
            options.indices.filter { $0 != parameter.initial }.map { options[$0].name }
          } else {
            [parameter.range.contains(parameter.initial + 1) ? "\(parameter.initial + 1)" : "\(parameter.initial - 1)"]
          }
        return values.map { first + [(name: parameter.name, value: $0)] }
      }
  }
}
