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
    .map { [nameRules] name in nameRules.first { $0.isBroken(name) } == nil ? name : nil }
    .eraseToAnyPublisher()

  /// The password, if it keeps the rules and was repeated.
  private(set) lazy var validPassword: AnyPublisher<String?, Never> =
    $password
    .combineLatest($repetition) { [passwordRules] password, repetition in
      passwordRules.first { $0.isBroken(password) } == nil && password == repetition ? password : nil
    }
    .eraseToAnyPublisher()

  private struct Rule {
    let message: String
    let isBroken: (String) -> Bool
  }

  private let nameRules = [
    Rule(message: "At least 3 characters.") { $0.count < 3 },
    Rule(message: "At most 40 characters.") { $0.count > 40 },
  ]

  private let passwordRules = [
    Rule(message: "At least 8 characters.") { $0.count < 8 }
  ]

  init(stages: Stages = .none) {

    // A field that is still empty is not told off.
    $name
      .stage("name", in: stages)
      .map { [nameRules] name in name.isEmpty ? "" : nameRules.first { $0.isBroken(name) }?.message ?? "" }
      .assign(to: &$nameMessage)

    $password
      .stage("password", in: stages) { String(repeating: "•", count: $0.count) }
      .map { [passwordRules] text in text.isEmpty ? "" : passwordRules.first { $0.isBroken(text) }?.message ?? "" }
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
