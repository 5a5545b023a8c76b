import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

// Further arguments for operators: closures that one family needs, and values, coders and streams that log their use.

extension Stage {

  /// Presents operators in a chain that have separate subscriptions. Until the end or a cancel, each is kept alive by
  /// the previous one as its downstream, and by the next one as its subscription (row `slicing.retention`).
  func presentRow<P: Publisher>(_ publisher: P, show: @escaping (P.Output) -> String = { "\($0)" }) {
    cancelAtEnd()
    present(publisher, show: show)
  }

  func tryHalf(_ value: Int) throws -> Int? {
    let half = half(value)
    if value == 5 { throw Fault(code: value) }
    return half
  }

  /// Whether a value is small, which is true for most values of scripts.
  func isSmall(_ value: Int) -> Bool {
    note(closure: "isSmall(\(value))")
    return value < 7
  }

  func tryIsSmall(_ value: Int) throws -> Bool {
    let isSmall = isSmall(value)
    if value == 5 { throw Fault(code: value) }
    return isSmall
  }

  /// Like `isSame`, but logs only the new value. An operator may choose the older one to compare with.
  func isRepetition(_ last: Int, _ new: Int) -> Bool {
    note(closure: "isRepetition(\(new))")
    return last % 4 == new % 4
  }

  func tryIsRepetition(_ last: Int, _ new: Int) throws -> Bool {
    let isRepetition = isRepetition(last, new)
    if new == 5 { throw Fault(code: new) }
    return isRepetition
  }

  func probe(_ value: Int) -> Probe { Probe(value: value, stage: self) }
}

/// A number that logs when it is read or compared.
struct Probe: CustomStringConvertible {

  let value: Int
  unowned let stage: Stage

  var own: Int { read("own", value) }
  var plusSeven: Int { read("plusSeven", value + 7) }
  var plusHundred: Int { read("plusHundred", value + 100) }

  private func read(_ property: String, _ result: Int) -> Int {
    stage.note(closure: "\(self).\(property)")
    return result
  }

  var description: String { "\(value)" }
}

extension Probe: Comparable {

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.stage.note(closure: "\(lhs) == \(rhs)")
    return lhs.value == rhs.value
  }

  static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.stage.note(closure: "\(lhs) < \(rhs)")
    return lhs.value < rhs.value
  }
}

/// A coder of integers as text, which rejects 5.
struct NumberCoder: TopLevelEncoder, TopLevelDecoder {

  unowned let stage: Stage

  func encode<T: Encodable>(_ value: T) throws -> String {
    stage.note(closure: "encode(\(value))")
    if "\(value)" == "5" { throw Fault(code: 5) }
    return "<\(value)>"
  }

  func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    stage.note(closure: "decode(\(text))")
    guard text != "5", let number = Int(text) as? T else { throw Fault(code: 5) }
    return number
  }
}

/// A stream that logs every write.
final class NotingStream: TextOutputStream {

  private unowned let stage: Stage

  init(_ stage: Stage) { self.stage = stage }

  func write(_ string: String) {
    // A script reacts to the text of a line, not to the whitespace around it.
    if string.contains(where: { !$0.isWhitespace }) {
      stage.note(closure: "write(\(string))")
    } else {
      stage.note("write(\(string.debugDescription))")
    }
  }
}

/// A stream of whole lines. It drops the peer's extra line, which says that a subscriber has returned no demand
/// (row `print.lines`), so that the rest can be compared.
final class LineStream: TextOutputStream {

  private unowned let stage: Stage
  private var line = ""

  init(_ stage: Stage) { self.stage = stage }

  func write(_ string: String) {
    line += string
    guard line.last == "\n" else { return }
    let line = line.dropLast()
    self.line = ""
    #if OPENCOMBINE
      if line.hasSuffix("request max: (0) (synchronous)") { return }
    #endif
    stage.note(closure: "write(\(line))")
  }
}
