import CombineExtras
import CombineTesting
import TestSupport
import Testing

@Suite struct UsingTests {

  @Test func acquiresAtTheSubscriptionAndReleasesAfterTheCompletion() {
    let log = Guarded<[String]>([])
    func note(_ entry: String) { log.withLock { $0.append(entry) } }
    var resources = 0
    let publisher = Using {
      resources += 1
      note("acquire \(resources)")
      return resources
    } publisher: { resource in
      [resource * 10].publisher
    } release: { resource in
      note("release \(resource)")
    }
    #expect(log.withLock { $0 } == [])
    for _ in 1...2 {
      publisher.subscribe(
        Subscribers.Sink { _ in
          note("completion")
        } receiveValue: {
          note("\($0)")
        }
      )
    }
    #expect(
      log.withLock { $0 } == [
        "acquire 1", "10", "completion", "release 1", "acquire 2", "20", "completion", "release 2",
      ]
    )
  }

  @Test func releasesOnceAfterACancel() {
    let released = Guarded<[Int]>([])
    let subject = PassthroughSubject<Int, Never>()
    let publisher = Using {
      7
    } publisher: { _ in
      subject
    } release: { resource in
      released.withLock { $0.append(resource) }
    }
    let cancellable = publisher.sink { _ in }
    subject.send(1)
    #expect(released.withLock { $0 } == [])
    cancellable.cancel()
    subject.send(completion: .finished)
    #expect(released.withLock { $0 } == [7])
  }

  @Test func theResourceIsInUseFromTheSubscriptionToTheEnd() {
    marbles { test in
      "a--b--|"
      Using {
        "x"
      } publisher: { resource in
        test[0].map { $0 + resource }
      } release: { _ in
      }
      .map { String($0.prefix(1)) }
      "a--b--|"
    }
  }
}
