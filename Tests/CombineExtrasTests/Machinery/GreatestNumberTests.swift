import CombineTesting
import TestSupport
import Testing

@testable import CombineExtras

/// Numbers that grow with the events of a long life. On a platform of 32 bits an `Int` ends after two billion.
@Suite struct GreatestNumberTests {

  @Test func aReplaySubjectDropsAnyNumberOfValues() {
    let core = ReplayCore<Int, Never>(limit: 1, order: .afterValues)
    core.droppedCount = .max
    core.values.append(1)
    #expect(core.dropFirst().0 == 1)
    #expect(core.droppedCount == .min)
  }

  @Test func anExhaustMapRunsAnyNumberOfPublishers() {
    let running = Running(number: .max - 1)
    #expect(running.begin())
    #expect(!running.begin())
    running.end(running.current)
    #expect(running.begin())
  }

  @Test func aKeyTableHasNumbersOf64BitsOnEveryPlatform() {
    var table = KeyTable<Int, Int>()
    table.lastNumber = Int64(Int32.max) - 1
    for key in 1...3 {
      var search = KeyTable<Int, Int>.Search(key)
      expectStep(table.next(&search) == nil)
      expectStep(table.insert(key, for: search) != nil)
    }
    #expect(table.lastNumber == Int64(Int32.max) + 2)
  }

  @Test func windowsHaveNumbersOf64BitsOnEveryPlatform() {
    var machine = WindowMachine(count: 2, opening: .everyElements(1))
    let before = Int64(Int32.max) - 1
    machine.open = before..<before
    machine.elementCount = before
    var filled = 0
    for _ in 1...4 { filled += machine.receive().filled }
    #expect(filled == 3)
    let end = machine.open.upperBound
    #expect(end == before + 4)
  }

  @Test(arguments: [Duration.milliseconds(2500), .seconds(3), .seconds(300 * 365 * 86400)])
  func aDurationIsAnIntervalWhateverItsNanosecondsFitInto(_ duration: Duration) {
    let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    #expect(VirtualTimeInterval.duration(duration) == .seconds(seconds))
  }

  @Test func aRetryPolicyCountsAnyNumberOfRetries() {
    var machine = RetrySchedule(.constant(.seconds(1), maxRetries: nil))
    machine.retries = .max
    #expect(machine.next() == .seconds(1))
    #expect(machine.retries == .max)
  }
}
