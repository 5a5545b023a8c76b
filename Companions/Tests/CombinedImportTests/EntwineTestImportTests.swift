import CombineSchedulers
import Dispatch
import EntwineTest
import Testing

@Suite struct EntwineTestImportTests {

  @Test func namesAreNotAmbiguous() {
    let scheduler = EntwineTest.TestScheduler()
    let subscriber = scheduler.createTestableSubscriber(Int.self, Never.self)
    Just(1).subscribe(subscriber)
    let expected: TestSequence<Int, Never> = [(0, .subscription), (0, .input(1)), (0, .completion(.finished))]
    #expect(subscriber.recordedOutput == expected)
    let log: DemandLedger<VirtualTime> = subscriber.recordedDemandLog
    #expect(log.count == 2)
    let _: Signal = Signal<Int, Never>.subscription
    let _: TestSchedulerOf<DispatchQueue> = DispatchQueue.test
  }
}
