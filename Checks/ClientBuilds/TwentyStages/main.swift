import Combine
import Foundation

// One expression of twenty operators, as in an app's view model, and its output.

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
  .scan(String()) { text, key in text.appending(key) }
  .combineLatest(limit)
  .map { text, limit in String(text.prefix(limit)) }
  .removeDuplicates()
  .dropFirst()
  .setFailureType(to: Rejected.self)
  .tryMap { text -> String in
    if text.contains("!") { throw Rejected() }
    return text
  }
  .mapError { _ in Rejected() }
  .merge(with: Empty(completeImmediately: false))
  .compactMap { $0.isEmpty ? nil : $0 }
  .catch { _ in Just("rejected") }
  .map(\.localizedUppercase)
  .receive(on: ImmediateScheduler.shared)
  .buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest)
  .append("over")
  .share()

let cancellable = pipeline.sink { received.append($0) }
for key in ["a", " ", "b", "b", "c", "d", "!"] { keys.send(key) }
limit.send(5)
limit.send(9)

let expected = ["AB", "ABC", "REJECTED", "over"]
print(received == expected ? "twenty stages: ok" : "twenty stages: \(received)")
exit(received == expected ? 0 : 1)
