import Foundation
import OpenCombineShim

/// A form whose button is enabled when its fields are valid.
final class SignUp: ObservableObject {

  @Published var name = ""
  @Published var password = ""
  @Published var repetition = ""
  @Published private(set) var nameIsFree = false
  @Published private(set) var passwordsMatch = false
  @Published private(set) var strength = 0
  @Published private(set) var message = ""

  private var cancellables = Set<AnyCancellable>()

  init(taken: Set<String>) {
    $name
      .removeDuplicates()
      .map { $0.lowercased().trimmingCharacters(in: .whitespaces) }
      .map { !$0.isEmpty && !taken.contains($0) }
      .assign(to: &$nameIsFree)

    $password
      .zip($repetition)
      .map { $0 == $1 && $0.count > 7 }
      .removeDuplicates()
      .assign(to: &$passwordsMatch)

    $password
      .map { password in
        var strength = min(password.count / 4, 3)
        if password.contains(where: \.isNumber) { strength += 1 }
        if password.contains(where: \.isUppercase) { strength += 1 }
        return strength
      }
      .sink { [weak self] in self?.strength = $0 }
      .store(in: &cancellables)

    $nameIsFree
      .dropFirst()
      .map { $0 ? "This name is free." : "This name is taken." }
      .prepend("Choose a name.")
      .assign(to: &$message)

    $repetition
      .debounce(for: .milliseconds(1), scheduler: DispatchQueue.main)
      .filter { !$0.isEmpty }
      .sink { print("typed \($0.count) characters") }
      .store(in: &cancellables)
  }
}
