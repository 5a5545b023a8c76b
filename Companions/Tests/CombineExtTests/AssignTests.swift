import CombineExt
import Testing

struct AssignTests {

  private final class Model {
    var number = 0
    var other = 0
    var cancellable: AnyCancellable?
  }

  private let subject = PassthroughSubject<Int, Never>()

  @Test(arguments: [ObjectOwnership.strong, .weak, .unowned])
  func writesEachValueToEachObject(_ ownership: ObjectOwnership) {
    let models = [Model(), Model(), Model()]
    let cancellables = [
      subject.assign(to: \.number, on: models[0], ownership: ownership),
      subject.assign(to: \.number, on: models[1], and: \.other, on: models[0], ownership: ownership),
      subject.assign(
        to: \.number,
        on: models[2],
        and: \.other,
        on: models[1],
        and: \.other,
        on: models[2],
        ownership: ownership
      ),
    ]
    subject.send(3)
    #expect(models.flatMap { [$0.number, $0.other] } == [3, 3, 3, 3, 3, 3])
    for cancellable in cancellables { cancellable.cancel() }
    subject.send(4)
    #expect(models.flatMap { [$0.number, $0.other] } == [3, 3, 3, 3, 3, 3])
  }

  @Test func writesThroughTheKeyPathsOfAnyRootInOrder() {
    final class Log { var entries: [String] = [] }
    struct Entry {
      let log: Log
      let name: String
      var value: Int {
        get { 0 }
        nonmutating set { log.entries.append("\(name)\(newValue)") }
      }
    }
    let log = Log()
    let entries = ["a", "b", "c"].map { Entry(log: log, name: $0) }
    let two = subject.assign(to: \.value, on: entries[0], and: \.value, on: entries[1])
    subject.send(1)
    two.cancel()
    let three = subject.assign(to: \.value, on: entries[0], and: \.value, on: entries[1], and: \.value, on: entries[2])
    subject.send(2)
    three.cancel()
    #expect(log.entries == ["a1", "b1", "a2", "b2", "c2"])
  }

  @Test(arguments: [ObjectOwnership.strong, .weak, .unowned])
  func onlyStrongMakesACycleWithAnObjectThatStoresTheCancellable(_ ownership: ObjectOwnership) {
    weak var one: Model?
    weak var two: Model?
    weak var three: Model?
    do {
      let (first, second, third) = (Model(), Model(), Model())
      (one, two, three) = (first, second, third)
      first.cancellable = subject.assign(to: \.number, on: first, ownership: ownership)
      second.cancellable = subject.assign(to: \.number, on: second, and: \.other, on: second, ownership: ownership)
      third.cancellable = subject.assign(
        to: \.number,
        on: third,
        and: \.other,
        on: third,
        and: \.other,
        on: third,
        ownership: ownership
      )
      subject.send(1)
    }
    for model in [one, two, three] { #expect((model != nil) == (ownership == .strong)) }
    for model in [one, two, three] { model?.cancellable = nil }
  }

  @Test func anObjectThatDiedIsSkipped() {
    let survivor = Model()
    var dying: Model? = Model()
    let cancellable = subject.assign(to: \.number, on: dying!, and: \.number, on: survivor, ownership: .weak)
    subject.send(1)
    dying = nil
    subject.send(2)
    #expect(survivor.number == 2)
    cancellable.cancel()
  }
}
