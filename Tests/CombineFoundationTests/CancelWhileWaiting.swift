import CombineFoundation
import Foundation
import TestSupport

/// Has one thread stay inside a subscriber, a second one wait for it, and a third one cancel.
///
/// - Parameters:
///   - publisher: What is subscribed to.
///   - deliver: Has it send a value.
/// - Returns: How many values came, and how many threads returned from `deliver` while the first was still inside.
func deliveriesOfAThreadInsideAndOneThatWaits<P: Publisher>(
  to publisher: P,
  _ deliver: @escaping @Sendable () -> Void
) -> (delivered: Int, returned: Int) where P.Failure == Never {
  let (isInside, hasReturned) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  let (delivered, returned) = (SharedLog<Int>(), SharedLog<Int>())
  let subscriber = RecordingSubscriber<P.Output, Never>(
    onSubscription: { $0.request(.unlimited) },
    onValue: { _ in
      delivered.append(1)
      for _ in 0..<2 { isInside.signal() }
      if hasReturned.wait(timeout: .now() + 10) == .success { returned.append(1) }
      return .none
    }
  )
  publisher.subscribe(subscriber)
  let subscription = UncheckedSendable(subscriber.subscription)
  onThreads(3) { index in
    if index > 0 { isInside.wait() }
    if index < 2 {
      deliver()
    } else {
      // Long enough for the second thread to wait; a cancel that comes before is no less correct.
      Thread.sleep(forTimeInterval: 0.01)
      subscription.value?.cancel()
    }
    if index == 1 { hasReturned.signal() }
  }
  return (delivered.values.count, returned.values.count)
}
