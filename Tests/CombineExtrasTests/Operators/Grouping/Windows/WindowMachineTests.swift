import CombineTesting
import Testing

@testable import CombineExtras

@Suite struct WindowMachineTests {

  /// What an element does in a machine by count: whether it opens a window, and how many windows close with it.
  struct CountCase: CustomTestStringConvertible, Sendable {
    let count: Int
    let step: Int
    let opens: [Bool]
    let filled: [Int]
    var testDescription: String { "\(count) every \(step)" }
  }

  @Test(arguments: [
    CountCase(count: 1, step: 1, opens: [true, true, true], filled: [1, 1, 1]),
    CountCase(count: 2, step: 2, opens: [true, false, true, false, true], filled: [0, 1, 0, 1, 0]),
    CountCase(count: 3, step: 1, opens: [true, true, true, true], filled: [0, 0, 1, 1]),
    CountCase(count: 3, step: 2, opens: [true, false, true, false, true], filled: [0, 0, 1, 0, 1]),
    CountCase(count: 2, step: 4, opens: [true, false, false, false, true], filled: [0, 1, 0, 0, 0]),
  ])
  func elementsOpenAndFillWindows(_ example: CountCase) {
    var machine = WindowMachine(count: example.count, opening: .everyElements(example.step))
    for (opens, filled) in zip(example.opens, example.filled) {
      expectStep(machine.receive() == WindowChange(opens: opens, filled: filled))
    }
  }

  /// A number of requested windows, and the elements that fill them.
  struct DemandCase: CustomTestStringConvertible, Sendable {
    let count: Int
    let step: Int
    let requests: [Subscribers.Demand]
    let elements: [Subscribers.Demand]
    var testDescription: String { "\(count) every \(step): \(requests)" }
  }

  @Test(arguments: [
    DemandCase(count: 3, step: 3, requests: [.max(1), .max(2)], elements: [.max(3), .max(6)]),
    DemandCase(count: 3, step: 1, requests: [.max(1), .max(1)], elements: [.max(3), .max(1)]),
    DemandCase(count: 3, step: 2, requests: [.max(3), .max(2)], elements: [.max(7), .max(4)]),
    DemandCase(count: 2, step: 5, requests: [.max(1), .max(1)], elements: [.max(2), .max(5)]),
    DemandCase(count: 2, step: 5, requests: [.none, .max(2)], elements: [.none, .max(7)]),
    DemandCase(count: 2, step: 3, requests: [.unlimited], elements: [.unlimited]),
    DemandCase(count: .max, step: .max, requests: [.max(1), .max(2)], elements: [.max(.max), .unlimited]),
  ])
  func requestedWindowsNeedTheElementsThatFillThem(_ example: DemandCase) {
    var machine = WindowMachine(count: example.count, opening: .everyElements(example.step))
    for (request, elements) in zip(example.requests, example.elements) {
      expectStep(machine.elements(for: request) == elements)
    }
  }

  @Test func aTickClosesAWindowAndOpensTheNext() {
    var machine = WindowMachine(count: nil, opening: .oneAfterAnother)
    expectStep(machine.tick() == WindowChange(opens: true))
    expectStep(machine.receive() == WindowChange())
    expectStep(machine.tick() == WindowChange(expired: 1, opens: true))
    expectStep(machine.open == 1..<2)
  }

  @Test func aFullWindowIsReplacedAtOnceWithoutAnInterval() {
    var machine = WindowMachine(count: 2, opening: .oneAfterAnother)
    expectStep(machine.tick() == WindowChange(opens: true))
    expectStep(machine.receive() == WindowChange())
    expectStep(machine.receive() == WindowChange(filled: 1, reopens: true))
    expectStep(machine.receive() == WindowChange())
    expectStep(machine.tick() == WindowChange(expired: 1, opens: true))
    expectStep(machine.receive() == WindowChange())
    expectStep(machine.receive() == WindowChange(filled: 1, reopens: true))
  }

  @Test func aFullWindowIsReplacedAtTheNextTickWithAnInterval() {
    var machine = WindowMachine(count: 2, opening: .everyTick(lifetime: 1))
    expectStep(machine.tick() == WindowChange(opens: true))
    expectStep(machine.receive() == WindowChange())
    expectStep(machine.receive() == WindowChange(filled: 1))
    expectStep(machine.receive() == WindowChange())
    expectStep(machine.tick() == WindowChange(opens: true))
    expectStep(machine.receive() == WindowChange())
    expectStep(machine.receive() == WindowChange(filled: 1))
  }

  @Test func severalWindowsFillWithOneElement() {
    var machine = WindowMachine(count: 1, opening: .everyTick(lifetime: 3))
    expectStep(machine.tick() == WindowChange(opens: true))
    expectStep(machine.tick() == WindowChange(opens: true))
    expectStep(machine.receive() == WindowChange(filled: 2))
    expectStep(machine.open == 2..<2)
    expectStep(machine.tick() == WindowChange(opens: true))
  }

  @Test func aWindowIsOpenForItsNumberOfTicks() {
    var machine = WindowMachine(count: nil, opening: .everyTick(lifetime: 3))
    for _ in 0..<3 { expectStep(machine.tick() == WindowChange(opens: true)) }
    expectStep(machine.tick() == WindowChange(expired: 1, opens: true))
    expectStep(machine.open == 1..<4)
  }

  @Test func aTimerClosesItsWindowAndThoseBeforeIt() {
    var machine = WindowMachine(count: nil, opening: .everyTick(lifetime: 9))
    for _ in 0..<3 { expectStep(machine.tick() == WindowChange(opens: true)) }
    expectStep(machine.expire(1) == WindowChange(expired: 2))
    expectStep(machine.expire(0) == WindowChange())
    expectStep(machine.open == 2..<3)
  }

  /// The lengths of windows, and for how many ticks one is open at most.
  struct TimesCase: CustomTestStringConvertible, Sendable {
    let duration: Int
    let interval: Int?
    let opening: WindowOpening
    let closesBetweenTicks: Bool
    var testDescription: String { "\(duration) every \(interval.map(String.init) ?? "nil")" }
  }

  @Test(arguments: [
    TimesCase(duration: 5, interval: nil, opening: .oneAfterAnother, closesBetweenTicks: false),
    TimesCase(duration: 5, interval: 5, opening: .everyTick(lifetime: 1), closesBetweenTicks: false),
    TimesCase(duration: 6, interval: 2, opening: .everyTick(lifetime: 3), closesBetweenTicks: false),
    TimesCase(duration: 5, interval: 2, opening: .everyTick(lifetime: 3), closesBetweenTicks: true),
    TimesCase(duration: 2, interval: 5, opening: .everyTick(lifetime: 1), closesBetweenTicks: true),
  ])
  func anIntervalDecidesForHowManyTicksAWindowIsOpen(_ example: TimesCase) {
    let times = WindowTimes(
      duration: .seconds(example.duration),
      interval: example.interval.map { .seconds($0) },
      scheduler: TestScheduler(),
      options: nil
    )
    #expect(times.opening == example.opening)
    #expect(times.closesBetweenTicks == example.closesBetweenTicks)
  }
}
