import CombineCore
import CombineDispatch
import Dispatch
import Foundation
import Synchronization

/// Pipelines that live as long as the soak and receive values from all threads at once, while subscribers come and go.
final class LongLived: Sendable {

  private let subject = PassthroughSubject<Token, Never>()
  private let state = CurrentValueSubject<Int, Never>(0)
  private let switches = PassthroughSubject<Just<Int>, Never>()
  private let shared: Publishers.Share<PassthroughSubject<Token, Never>>
  private let queue = DispatchQueue(label: "soak, long-lived")
  private let handled = Atomic(0)

  // Written once, in `init`, and not accessed again until the object is deallocated.
  nonisolated(unsafe) private var cancellables: Set<AnyCancellable> = []

  /// The number of events that the pipelines have handled.
  var handledCount: Int { handled.load(ordering: .relaxed) }

  init() {
    shared = subject.share()
    subject
      .flatMap { token in Just(token).append(Just(token)) }
      .sink { [unowned self] _ in note() }
      .store(in: &cancellables)
    switches.switchToLatest().merge(with: state)
      .removeDuplicates()
      .sink { [unowned self] _ in note() }
      .store(in: &cancellables)
    subject.map(\.number).combineLatest(state.map { -$0 })
      .buffer(size: 16, prefetch: .byRequest, whenFull: .dropOldest)
      .sink { [unowned self] _ in note() }
      .store(in: &cancellables)
    subject
      .throttle(for: .milliseconds(1), scheduler: queue, latest: true)
      .sink { [unowned self] _ in note() }
      .store(in: &cancellables)
    subject
      .receive(on: queue)
      .sink { [unowned self] _ in note() }
      .store(in: &cancellables)
    // The subscriber is slow at times, so other threads wait for it. Objects created and dropped meanwhile must be
    // released too.
    subject
      .sink { [unowned self] token in
        if token.number == 7 { usleep(100) }
        note()
      }
      .store(in: &cancellables)
    state.map { -$0 }
      .sink { [unowned self] number in
        if number == -3 { usleep(1000) }
        note()
      }
      .store(in: &cancellables)
  }

  private func note() {
    handled.add(1, ordering: .relaxed)
  }

  /// Two tokens, to distinguish an element from a token that a closure holds.
  private func note(_ element: Token, _ held: Token) {
    if element !== held { note() }
  }

  /// The work of a thread on these pipelines.
  func churn(_ random: inout SystemRandomNumberGenerator) -> Int {
    let before = handledCount
    let token = Token()
    let first = subject.sink { [self] in note($0, token) }
    let second = shared.sink { [self] in note($0, token) }
    for number in 0..<8 {
      subject.send(Token(number))
      state.send(Int.random(in: 0...9, using: &random))
      switches.send(Just(number))
    }
    first.cancel()
    second.cancel()
    return max(0, handledCount - before)
  }

  /// Returns when the queue's pending actions have run.
  func settle() {
    // The throttle's timer fires within a millisecond. The actions that it enqueues come before this one.
    let done = DispatchSemaphore(value: 0)
    queue.asyncAfter(deadline: .now() + .milliseconds(5)) { done.signal() }
    done.wait()
  }
}
