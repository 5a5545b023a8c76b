import Combine
import Foundation
import TestSupport

/// A long chain of erased operators. Subscribing, delivery, completion, cancel and release pass through all of them, so
/// that each takes some of the stack.
///
/// A link takes 400 to 1200 bytes in a release build (`prepend`: 2200, `append`: 1600 the first time), and 600 to 2400
/// in a debug build (`prepend`: 3800). So 500 links are well within the 8 MB of a main thread. In a release build, most
/// chains are also within the 512 KB of another thread on Apple's platforms.
///
/// The links of `append` and `prepend` are nested, because each publisher is subscribed to during the completion of the
/// previous one. The operators promise this order of events. If they waited until the first publisher has returned, it
/// could act between its completion and the next subscription.
struct Chain: Sendable, CustomStringConvertible {

  static let length = 500

  /// The stack available to them: half of a main thread's.
  static let limit = (4 << 20) * (StackMeter.isSanitized ? 8 : 1)

  let name: String

  var description: String { name }

  /// The end of a chain after a value has passed.
  enum End: CaseIterable, Sendable {
    case completion, cancel

    /// The chain is released without a subscriber.
    case release
  }

  private let make: @Sendable (_ length: Int) -> (PassthroughSubject<Int, TestError>, Link)

  private typealias Link = AnyPublisher<Int, TestError>

  /// - Parameter extend: A closure that adds a link.
  private init(_ name: String, _ extend: @escaping @Sendable (Link) -> Link) {
    self.name = name
    make = { length in
      let subject = PassthroughSubject<Int, TestError>()
      return (subject, (0..<length).reduce(subject.eraseToAnyPublisher()) { chain, _ in extend(chain) })
    }
  }

  /// Builds a chain, ends it and releases it.
  ///
  /// - Returns: The number of stack bytes that it took.
  func measure(_ end: End) -> Int {
    StackMeter.measure {
      let (subject, chain) = make(Chain.length)
      if end == .release { return }
      let consumer = Consumer<Int, TestError>(.unlimited)
      chain.subscribe(consumer)
      subject.send(1)
      if end == .completion {
        subject.send(completion: .finished)
      } else {
        consumer.cancel()
      }
      precondition(consumer.count >= 1 && consumer.hasCompleted == (end == .completion), name)
    }
  }

  private static func one(_ number: Int) -> Link {
    Just(number).setFailureType(to: TestError.self).eraseToAnyPublisher()
  }

  static let all = [
    Chain("map") { $0.map { $0 }.eraseToAnyPublisher() },
    Chain("tryMap") { $0.tryMap { $0 }.mapError { $0 as! TestError }.eraseToAnyPublisher() },
    Chain("filter") { $0.filter { $0 > 0 }.eraseToAnyPublisher() },
    Chain("scan") { $0.scan(0) { $1 }.eraseToAnyPublisher() },
    Chain("removeDuplicates") { $0.removeDuplicates().eraseToAnyPublisher() },
    Chain("handleEvents") { $0.handleEvents(receiveOutput: { _ in }).eraseToAnyPublisher() },
    Chain("append") { $0.append(one(2)).eraseToAnyPublisher() },
    Chain("prepend") { $0.prepend(one(2)).eraseToAnyPublisher() },
    Chain("catch") { $0.catch { _ in one(2) }.eraseToAnyPublisher() },
    Chain("retry") { $0.retry(1).eraseToAnyPublisher() },
    Chain("flatMap") { $0.flatMap { one($0) }.eraseToAnyPublisher() },
    Chain("switchToLatest") { $0.map { one($0) }.switchToLatest().eraseToAnyPublisher() },
    Chain("merge") { $0.merge(with: Empty()).eraseToAnyPublisher() },
    Chain("combineLatest") { $0.combineLatest(one(2)) { number, _ in number }.eraseToAnyPublisher() },
    Chain("buffer") {
      $0.buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
    },
    Chain("share") { $0.share().eraseToAnyPublisher() },
    Chain("receive(on:)") { $0.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher() },
    Chain("subscribe(on:)") { $0.subscribe(on: ImmediateScheduler.shared).eraseToAnyPublisher() },
    Chain("prefix") { $0.prefix(10).eraseToAnyPublisher() },
    Chain("deferred") { link in Deferred { link }.eraseToAnyPublisher() },
  ]
}
