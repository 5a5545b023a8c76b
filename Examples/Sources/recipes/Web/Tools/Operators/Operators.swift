@_spi(Tools) import CombineInspection
import FlyingFox
import Foundation

extension WebApp.Tool {

  /// Operators to play with: a person places marbles on the lines of the inputs, and sees what the operator makes of them.
  ///
  /// Each change is a request with the whole case in its query, which is also the query of the page's address. The server
  /// runs the operator in virtual time. It keeps nothing.
  static let operators = Self(
    name: "operators",
    title: "Operators",
    sources: [URL(filePath: #filePath)],
    data: [
      "table": { _ in try JSONEncoder().encode(Operator.groups.map(Row.Group.init)) },
      "run": { request in
        // The page Inspector shows the pipelines of the other tabs, and follows everything.
        let run = try Inspection.ignoring { try OperatorRun(query: request.query.map { ($0.name, $0.value) }) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(run)
      },
    ]
  )

  /// An operator as the page's script reads it.
  private struct Row: Encodable {

    struct Group: Encodable {
      let title: String
      let operators: [Row]

      init(_ group: Operator.Group) {
        title = group.title
        operators = group.operators.map(Row.init)
      }
    }

    struct Parameter: Encodable {
      let name: String
      let isInterval: Bool

      /// Present if it is a choice. The values are their names then, and otherwise numbers.
      let options: [Operator.Parameter.Option]?

      let initial: String
      let least: Int
      let most: Int

      init(_ parameter: Operator.Parameter) {
        name = parameter.name
        least = parameter.range.lowerBound
        most = parameter.range.upperBound
        switch parameter.kind {
        case .count: (isInterval, options) = (false, nil)
        case .interval: (isInterval, options) = (true, nil)
        case .choice(let all): (isInterval, options) = (false, all)
        }
        initial = options?[parameter.initial].name ?? "\(parameter.initial)"
      }
    }

    let id: String
    let name: String
    let inputs: [String]
    let letters: [String]
    let parameters: [Parameter]

    /// What other libraries, and people, call it.
    let words: [String]

    /// The address of its page in the documentation.
    let page: String?

    init(_ row: Operator) {
      id = row.id
      name = row.name
      inputs = row.inputs
      letters = row.letters
      parameters = row.parameters.map(Parameter.init)
      words = Guides.words[row.name] ?? []
      page = Guides.page(of: row.name)
    }
  }
}
