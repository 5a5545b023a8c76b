import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

// What else operators are given to call: closures that one family needs, values, coders and streams that say what is done
// with them.

extension Stage {

  /// Presents operators in a row that have subscriptions of their own: each is kept by the one before, its downstream,
  /// and by the one after, its subscription, until the end or a cancel (`reducing.md`, R8).
  func presentRow<P: Publisher>(_ publisher: P, show: @escaping (P.Output) -> String = { "\($0)" }) {
    cancelAtEnd()
    present(publisher, show: show)
  }

  func tryHalf(_ value: Int) throws -> Int? {
    let half = half(value)
    if value == 5 { throw Fault(code: value) }
    return half
  }

  /// True for most of what scripts send.
  func isSmall(_ value: Int) -> Bool {
    note(closure: "isSmall(\(value))")
    return value < 7
  }

  func tryIsSmall(_ value: Int) throws -> Bool {
    let isSmall = isSmall(value)
    if value == 5 { throw Fault(code: value) }
    return isSmall
  }

  /// As `isSame`, but says the new value only: which older one an operator compares it with may be its own matter.
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

/// A number that says when it is read or compared.
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

/// Codes integers as text and back, and refuses 5.
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

/// A stream whose every write is seen.
final class NotingStream: TextOutputStream {

  private unowned let stage: Stage

  init(_ stage: Stage) { self.stage = stage }

  func write(_ string: String) {
    // A script acts at the text of a line, not at what surrounds it.
    if string.contains(where: { !$0.isWhitespace }) {
      stage.note(closure: "write(\(string))")
    } else {
      stage.note("write(\(string.debugDescription))")
    }
  }
}

/// A stream that takes whole lines, and from the peer not the one that it alone writes: that a subscriber has returned
/// no demand (`elementwise.md`, print). So the rest can be compared.
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
