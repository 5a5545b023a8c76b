/// A value that a user can change.
protocol PageInput: Equatable {

  /// The property of the element that contains the value.
  static var property: String { get }

  /// The value of an untouched element.
  static var initial: Self { get }

  init?(_ value: PageValue)

  var pageValue: PageValue { get }
}

extension String: PageInput {
  static let property = "value"
  static let initial = ""

  init?(_ value: PageValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }

  var pageValue: PageValue { .text(self) }
}

extension Bool: PageInput {
  static let property = "checked"
  static let initial = false

  init?(_ value: PageValue) {
    guard case .flag(let flag) = value else { return nil }
    self = flag
  }

  var pageValue: PageValue { .flag(self) }
}
