import Combine
import Foundation

// One expression of twenty operators, as an app's view model may have, and what comes out of it.

struct Rejected: Error {}

let keys = PassthroughSubject<String, Never>()
let limit = CurrentValueSubject<Int, Never>(3)
var received: [String] = []

let pipeline =
  keys
  .map { $0.trimmingCharacters(in: .whitespaces) }
  .filter { !$0.isEmpty }
  .removeDuplicates()
  .handleEvents(receiveOutput: { _ in })
  .scan("") { $0 + $1 }
  .combineLatest(limit)
  .map { String($0.prefix($1)) }
  .removeDuplicates()
  .setFailureType(to: Rejected.self)
  .tryMap { text -> String in
    if text.contains("!") { throw Rejected() }
    return text
  }
  .mapError { _ in Rejected() }
  .flatMap { Just($0).setFailureType(to: Rejected.self) }
  .compactMap { $0.first.map(String.init) == nil ? nil : $0 }
  .merge(with: Empty<String, Rejected>(completeImmediately: false))
  .map { [$0] }
  .map(\.first)
  .catch { _ in Just(nil) }
  .receive(on: ImmediateScheduler.shared)
  .map { $0 ?? "rejected" }
  .share()
  .sink { received.append($0) }

for key in ["a", " ", "b", "b", "c", "d", "!"] { keys.send(key) }
limit.send(5)

let expected = ["a", "ab", "abc", "rejected"]
print(received == expected ? "twenty stages: ok" : "twenty stages: \(received)")
exit(received == expected ? 0 : 1)
