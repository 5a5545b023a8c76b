// One file that imports the modules of three libraries.
import CombineExt
import CombineSchedulers
import Dispatch
import EntwineTest
import Testing

@Suite struct AllCompanionsImportTests {

  @Test func namesOfCombineExtAreNotAmbiguousBesideTheOtherModules() {
    let subject = ReplaySubject<Int, Never>(bufferSize: 2)
    for value in 1...3 { subject.send(value) }
    var replayed: [Int] = []
    var shared: [Int] = []
    let sinks = [subject.sink { replayed.append($0) }, subject.share(replay: 1).sink { shared.append($0) }]
    #expect(replayed == [2, 3])
    #expect(shared == [2, 3])

    var events: [Event<Int, Never>] = []
    var latest: [Int] = []
    let others = [
      Just(1).materialize().sink { events.append($0) },
      Just(1).materialize().dematerialize().withLatestFrom(subject).sink { latest.append($0) },
    ]
    #expect(events == [.value(1), .finished])
    #expect(latest == [3])
    withExtendedLifetime((sinks, others)) {}
  }

  @Test func eachSchedulerIsTheOneOfItsModule() {
    let virtual = EntwineTest.TestScheduler()
    let subscriber = virtual.start { ReplaySubject<Int, Never>(bufferSize: 1).materialize() }
    #expect(virtual.now == 900)
    #expect(subscriber.recordedOutput.map(\.0) == [200])

    let queue: TestSchedulerOf<DispatchQueue> = DispatchQueue.test
    var count = 0
    let sink = Just(1).delay(for: 1, scheduler: queue).share(replay: 1).sink { count += $0 }
    #expect(count == 0)
    queue.advance(by: 1)
    #expect(count == 1)
    sink.cancel()
  }
}
