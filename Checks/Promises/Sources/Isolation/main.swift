// A client in the Swift 6 language mode: a closure of the main actor that is called on another thread is stopped, as with
// Apple's Combine, and does not race in silence. Whoever runs this expects it to be killed by a trap.
import Combine
import Foundation

@MainActor final class Counter {
  var count = 0
  var cancellables: Set<AnyCancellable> = []
  func follow(_ publisher: some Publisher<Int, Never>) {
    publisher.sink { [weak self] value in self?.count += value }.store(in: &cancellables)
  }
}

let counter = Counter(), subject = PassthroughSubject<Int, Never>(), sent = DispatchSemaphore(value: 0)
counter.follow(subject)
DispatchQueue.global().async {
  subject.send(1); sent.signal()
}
_ = sent.wait(timeout: .now() + 5)
print("called off the main thread in silence: count \(counter.count)")
