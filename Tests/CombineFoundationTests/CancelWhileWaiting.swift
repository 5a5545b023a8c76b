import CombineFoundation
import Foundation
import TestSupport

/// Blocks one thread in a subscriber, makes a second thread wait for it, and cancels on a third.
///
/// - Parameters:
///   - publisher: The publisher to subscribe to.
///   - deliver: A closure that makes the publisher send a value.
/// - Returns: The number of values, and the number of threads that returned from `deliver` while the first was blocked.
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
      if hasReturned.wait(timeout: .now() + 60) == .success { returned.append(1) }
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
      // Long enough for the second thread to wait. An earlier cancel is correct too.
      Thread.sleep(forTimeInterval: 0.01)
      subscription.value?.cancel()
    }
    if index == 1 { hasReturned.signal() }
  }
  return (delivered.values.count, returned.values.count)
}
