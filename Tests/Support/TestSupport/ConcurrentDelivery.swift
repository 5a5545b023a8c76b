import CombineCore
import Dispatch
import Foundation
import Testing

/// Checks that an operator makes no thread wait for another: two threads call its downstream at the same time.
public func expectNoSerialisation<P: Publisher<Int, TestError>>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (ConcurrentPublisher<Int, TestError>) -> P
) {
  let upstream = ConcurrentPublisher<Int, TestError>()
  let arrivals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
  let meetings = Guarded(0)
  let subscriber = AnySubscriber<Int, TestError>(
    receiveSubscription: { $0.request(.unlimited) },
    receiveValue: { thread in
      // Each waits until the other has arrived. The wait has a limit, so that a wrong operator fails and does not hang.
      arrivals[thread].signal()
      let hasMet = arrivals[1 - thread].wait(timeout: .now() + .seconds(60)) == .success
      if hasMet { meetings.withLock { $0 += 1 } }
      return .none
    }
  )
  make(upstream).subscribe(subscriber)
  onThreads(2) { upstream.send($0) }
  #expect(meetings.withLock { $0 } == 2, sourceLocation: sourceLocation)
}

/// Checks that an operator serializes the calls to its downstream: of two threads that send, the second waits.
public func expectSerializedCalls<P: Publisher<Int, TestError>>(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ make: (ConcurrentPublisher<Int, TestError>) -> P
) {
  let upstream = ConcurrentPublisher<Int, TestError>()
  let calls = Guarded((now: 0, most: 0, all: 0))
  let subscriber = AnySubscriber<Int, TestError>(
    receiveSubscription: { $0.request(.unlimited) },
    receiveValue: { _ in
      calls.withLock {
        $0.now += 1
        $0.all += 1
        $0.most = max($0.most, $0.now)
      }
      usleep(20)
      calls.withLock { $0.now -= 1 }
      return .none
    }
  )
  make(upstream).subscribe(subscriber)
  onThreads(2) { thread in
    for _ in 0..<500 { upstream.send(thread) }
  }
  #expect(calls.withLock { $0 } == (0, 1, 1000), sourceLocation: sourceLocation)
}
