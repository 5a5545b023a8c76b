import Entwine
import EntwineTest
import Testing

/// `TrampolineScheduler`, `DeallocToken` and the deprecated bag.
@Suite struct LifetimeTests {

  @Test func anActionOfTheTrampolineRunsAfterTheOneThatSchedulesIt() {
    let scheduler = TrampolineScheduler.shared
    var log: [String] = []
    scheduler.schedule {
      log.append("1a")
      scheduler.schedule {
        log.append("2a")
        scheduler.schedule {
          log.append("3a")
          log.append("3b")
        }
        log.append("2b")
      }
      log.append("1b")
    }
    #expect(log == ["1a", "1b", "2a", "2b", "3a", "3b"])
  }

  @Test func theTrampolineRunsItsActionsInTheOrderOfScheduling() {
    let scheduler = TrampolineScheduler.shared
    var log: [Int] = []
    scheduler.schedule {
      for number in 1...3 { scheduler.schedule { log.append(number) } }
      log.append(0)
    }
    #expect(log == [0, 1, 2, 3])
  }

  @Test func aTokenTellsThatItIsDeallocated() {
    var token: DeallocToken? = DeallocToken()
    let publisher: AnyPublisher<Void, Never> = token!.publisher
    let received = publisher.received()
    #expect(received.signals.isEmpty)
    token = nil
    #expect(received.values.count == 1)
    #expect(received.signals.map(\.isCompletion) == [false, true])
    let late = publisher.received()
    #expect(late.signals.map(\.isCompletion) == [true])
  }

  @available(*, deprecated, message: "It tests deprecated names.")
  @Test func aBagCancelsItsContentsOnceAndThenIsEmpty() {
    var cancels = 0
    let bag = CancellableBag()
    bag.add(AnyCancellable { cancels += 1 })
    AnyCancellable { cancels += 1 }.cancelled(by: bag)
    #expect(cancels == 0)
    bag.cancel()
    #expect(cancels == 2)
    bag.cancel()
    #expect(cancels == 2)
    bag.add(AnyCancellable { cancels += 1 })
    #expect(cancels == 2)
    bag.cancel()
    #expect(cancels == 3)
  }

  @available(*, deprecated, message: "It tests deprecated names.")
  @Test func aBagCancelsItsContentsWhenItIsDeallocated() {
    struct Token: Cancellable {
      let action: () -> Void
      func cancel() { action() }
    }
    var cancels = 0
    do {
      let bag = CancellableBag()
      Token { cancels += 1 }.cancelled(by: bag)
      #expect(cancels == 0)
    }
    #expect(cancels == 1)
  }

  @available(*, deprecated, message: "It tests deprecated names.")
  @Test func aCancellationBagIsASetOfCancellables() {
    let subject = PassthroughSubject<Int, Never>()
    var values: [Int] = []
    var bag = CancellationBag()
    subject.sink { values.append($0) }.store(in: &bag)
    subject.send(1)
    bag.removeAll()
    subject.send(2)
    #expect(values == [1])
  }
}
