import Combine

/// A form with three fields: what is wrong with each, and whether it can be sent, follow from what is typed.
final class SignUpForm: ObservableObject {

  @Published var name = ""
  @Published var password = ""
  @Published var repetition = ""

  @Published private(set) var nameMessage = ""
  @Published private(set) var passwordMessage = ""
  @Published private(set) var repetitionMessage = ""

  /// Whether all rules are kept.
  @Published private(set) var canSubmit = false

  /// Who signed up last.
  @Published private(set) var account: String?

  /// The name, if it keeps the rules.
  private(set) lazy var validName: AnyPublisher<String?, Never> =
    $name
    .map { Self.problem(ofName: $0) == nil ? $0 : nil }
    .eraseToAnyPublisher()

  /// The password, if it keeps the rules and was repeated.
  private(set) lazy var validPassword: AnyPublisher<String?, Never> =
    $password
    .combineLatest($repetition)
    .map { Self.problem(ofPassword: $0) == nil && $0 == $1 ? $0 : nil }
    .eraseToAnyPublisher()

  private static func problem(ofName name: String) -> String? {
    switch name.count {
    case ..<3: "At least 3 characters."
    case 41...: "At most 40 characters."
    default: nil
    }
  }

  private static func problem(ofPassword password: String) -> String? {
    password.count < 8 ? "At least 8 characters." : nil
  }

  init(stages: Stages = .none) {

    // A field that is still empty is not told off.
    $name
      .stage("name", in: stages)
      .map { $0.isEmpty ? "" : Self.problem(ofName: $0) ?? "" }
      .assign(to: &$nameMessage)

    $password
      .stage("password", in: stages) { String(repeating: "•", count: $0.count) }
      .map { $0.isEmpty ? "" : Self.problem(ofPassword: $0) ?? "" }
      .assign(to: &$passwordMessage)

    $repetition
      .stage("repetition", in: stages) { String(repeating: "•", count: $0.count) }
      .combineLatest($password)
      .map { repetition, password in repetition.isEmpty || repetition == password ? "" : "Not the same password." }
      .assign(to: &$repetitionMessage)

    validName.combineLatest(validPassword)
      .map { $0 != nil && $1 != nil }
      .removeDuplicates()
      .stage("can submit", in: stages)
      .assign(to: &$canSubmit)
  }

  /// Signs up, if the rules are kept, and empties the form.
  func submit() {
    guard canSubmit else { return }
    account = name
    (name, password, repetition) = ("", "", "")
  }
}
