import Combine

/// A form with three fields. The messages and the button depend on the typed texts.
final class SignUpForm: ObservableObject {

  @Published var name = ""
  @Published var password = ""
  @Published var repetition = ""

  @Published private(set) var nameMessage = ""
  @Published private(set) var passwordMessage = ""
  @Published private(set) var repetitionMessage = ""

  /// Whether the fields satisfy all rules.
  @Published private(set) var canSubmit = false

  /// The name of the latest person who signed up.
  @Published private(set) var account: String?

  /// The name if it satisfies the rules, and otherwise `nil`.
  private(set) lazy var validName: AnyPublisher<String?, Never> =
    $name
    .map { Self.problem(ofName: $0) == nil ? $0 : nil }
    .eraseToAnyPublisher()

  /// The password if it satisfies the rules and was repeated, and otherwise `nil`.
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

    // An empty field shows no message.
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

  /// Signs up if the rules are satisfied, and clears the form.
  func submit() {
    guard canSubmit else { return }
    account = name
    (name, password, repetition) = ("", "", "")
  }
}
