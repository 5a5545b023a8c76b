/// Closures for operators, each of which logs its call and its arguments. The throwing ones throw at 5.
extension Stage {

  func transform(_ value: Int) -> Int {
    note(closure: "transform(\(value))")
    return value * 10
  }

  func tryTransform(_ value: Int) throws -> Int {
    note(closure: "transform(\(value))")
    if value == 5 { throw Fault(code: value) }
    return value * 10
  }

  /// Returns `nil` for an odd number.
  func half(_ value: Int) -> Int? {
    note(closure: "half(\(value))")
    return value.isMultiple(of: 2) ? value / 2 : nil
  }

  func isEven(_ value: Int) -> Bool {
    note(closure: "isEven(\(value))")
    return value.isMultiple(of: 2)
  }

  func tryIsEven(_ value: Int) throws -> Bool {
    note(closure: "isEven(\(value))")
    if value == 5 { throw Fault(code: value) }
    return value.isMultiple(of: 2)
  }

  func sum(_ first: Int, _ second: Int) -> Int {
    note(closure: "sum(\(first), \(second))")
    return first + second
  }

  func trySum(_ first: Int, _ second: Int) throws -> Int {
    note(closure: "sum(\(first), \(second))")
    if second == 5 { throw Fault(code: second) }
    return first + second
  }

  /// Orders numbers by their remainder modulo 4, so that different numbers can be equivalent.
  func isBefore(_ first: Int, _ second: Int) -> Bool {
    note(closure: "isBefore(\(first), \(second))")
    return first % 4 < second % 4
  }

  func tryIsBefore(_ first: Int, _ second: Int) throws -> Bool {
    note(closure: "isBefore(\(first), \(second))")
    if second == 5 { throw Fault(code: second) }
    return first % 4 < second % 4
  }

  func isSame(_ first: Int, _ second: Int) -> Bool {
    note(closure: "isSame(\(first), \(second))")
    return first % 4 == second % 4
  }

  func tryIsSame(_ first: Int, _ second: Int) throws -> Bool {
    note(closure: "isSame(\(first), \(second))")
    if second == 5 { throw Fault(code: second) }
    return first % 4 == second % 4
  }

  func translate(_ fault: Fault) -> Fault {
    note(closure: "translate(\(fault.code))")
    return Fault(code: fault.code + 10)
  }
}
