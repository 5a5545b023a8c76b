/// An operator as the page's script reads it.
struct OperatorRow {

  let operation: Operator

  /// What other libraries, and people, call it.
  let words: [String]

  /// The address of its page in the documentation.
  let page: String?

  var json: JSON {
    .object([
      ("id", .text(operation.id)),
      ("name", .text(operation.name)),
      ("inputs", .list(operation.inputs.map { .text($0) })),
      ("letters", .list(operation.letters.map { .text($0) })),
      ("parameters", .list(operation.parameters.map(\.json))),
      ("words", .list(words.map { .text($0) })),
      ("page", page.map { .text($0) }),
    ])
  }

  /// All operators with their chapters, and the publishers of pictures.
  ///
  /// - Parameters:
  ///   - words: A closure that returns what other libraries call an operator.
  ///   - page: A closure that returns the address of an operator's page.
  static func table(words: (String) -> [String] = { _ in [] }, page: (String) -> String? = { _ in nil }) -> JSON {
    func json(_ group: Operator.Group, isListed: Bool) -> JSON {
      let rows = group.operators.map { OperatorRow(operation: $0, words: words($0.name), page: page($0.name)).json }
      return .object([("title", .text(group.title)), ("isListed", .flag(isListed)), ("operators", .list(rows))])
    }
    // Links of pictures lead to their publishers. The list has each operator once.
    return .list(Operator.groups.map { json($0, isListed: true) } + [json(Operator.pictures, isListed: false)])
  }
}

extension Operator.Parameter {

  fileprivate var json: JSON {
    var options: [Option]?
    if case .choice(let all) = kind { options = all }
    var isInterval = false
    if case .interval = kind { isInterval = true }
    return .object([
      ("name", .text(name)),
      ("isInterval", .flag(isInterval)),
      // Present if it is a choice. The values are their names then, and otherwise numbers.
      ("options", options.map { .list($0.map { .object([("name", .text($0.name)), ("code", .text($0.code))]) }) }),
      ("initial", .text(options?[initial].name ?? "\(initial)")),
      ("least", .integer(range.lowerBound)),
      ("most", .integer(range.upperBound)),
    ])
  }
}
