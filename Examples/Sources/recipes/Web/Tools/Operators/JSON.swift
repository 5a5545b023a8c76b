/// A value of JSON, for the page *Operators*, which is also compiled where there is no Foundation.
enum JSON: CustomStringConvertible {

  case text(String)
  case number(Double)
  case integer(Int)
  case flag(Bool)
  case list([JSON])

  /// The members in their order. Those that are `nil` are left out.
  case object([(name: String, value: JSON?)])

  /// The text of the value.
  var description: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number): "\(number)"
    case .integer(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .list(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.compactMap { name, value in value.map { "\(Self.quoted(name)):\($0)" } }.joined(separator: ",")
        + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
