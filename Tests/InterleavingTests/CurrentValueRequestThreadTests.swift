import CombineCore
import TestSupport
import Testing

/// Demand for current values that comes on a thread of its own and inside a delivery, beside sends of other threads.
@Suite struct CurrentValueRequestThreadTests {

  /// How a subscriber asks for more in the delivery of a value.
  enum Reaction: CaseIterable {
    case returnsOne, returnsAll, requestsOne, requestsTwo, requestsAll

    var returned: Subscribers.Demand {
      switch self {
      case .returnsOne: .max(1)
      case .returnsAll: .unlimited
      case .requestsOne, .requestsTwo, .requestsAll: .none
      }
    }

    var requested: Subscribers.Demand? {
      switch self {
      case .returnsOne, .returnsAll: nil
      case .requestsOne: .max(1)
      case .requestsTwo: .max(2)
      case .requestsAll: .unlimited
      }
    }
  }

  /// The demand that a subscriber begins with, the value at which it asks for more, and how.
  struct Case: CustomTestStringConvertible {
    let demand: Subscribers.Demand
    let trigger: Int
    let reaction: Reaction

    static let all = [.none, .max(1), .max(2)].flatMap { demand in
      (0...2).flatMap { trigger in
        Reaction.allCases.map { Case(demand: demand, trigger: trigger, reaction: $0) }
      }
    }

    var testDescription: String { "\(demand), then \(reaction) at \(trigger)" }
  }

  @Test(arguments: Case.all)
  func aSubscriberLacksNothingAfterARequestBesideTwoSends(_ theCase: Case) {
    expectTheCurrentValueOnce(theCase, sends: 2)
  }

  // The other cases have been walked once, in a third of an hour, and none found a fault.
  @Test(.inLongRuns, arguments: Case.all.filter { $0.demand != .none && $0.trigger == 1 })
  func aSubscriberLacksNothingAfterARequestBesideThreeSends(_ theCase: Case) {
    expectTheCurrentValueOnce(theCase, sends: 3)
  }

  // The lock is free while the other subscriber is called. So the request can come in the turn of the send.
  @Test func aRequestInTheTurnOfASendIsAnsweredBeforeItEnds() {
    expectNoFault("CurrentValueSubject, a send to two and a request", preemptions: 2) {
      let subject = CurrentValueSubject<Int, Never>(0)
      return aRequest(to: subject, beside: { subject.send(1) })
    }
  }

  @Test func aRequestInTheTurnOfAWriteIsAnsweredBeforeItEnds() {
    expectNoFault("Published, a write with two subscribers and a request", preemptions: 2) {
      final class Model { @Published var value = 0 }
      let model = Model()
      return aRequest(to: model.$value, beside: { model.value = 1 })
    }
  }

  /// A program in which a subscriber without demand requests one value beside a send. It has one value then, as nothing else
  /// asks for it.
  private func aRequest(
    to publisher: some Publisher<Int, Never>,
    beside send: @escaping () -> Void
  ) -> ThreadedProgram {
    let witness = Witness<Int>(requesting: .none)
    let other = Witness<Int>(requesting: .unlimited)
    publisher.setFailureType(to: TestError.self).subscribe(witness)
    publisher.setFailureType(to: TestError.self).subscribe(other)
    return ThreadedProgram(
      threads: [{ witness.request(.max(1)) }, send],
      faults: {
        witness.cancel()
        other.cancel()
        var verdict = Verdict(witness)
        verdict.require(witness.values.count == 1, "\(witness.values)")
        return verdict.faults
      }
    )
  }

  private func expectTheCurrentValueOnce(_ theCase: Case, sends: Int) {
    let name = "CurrentValueSubject, \(sends) sends and a request, \(theCase.testDescription)"
    expectNoFault(name, preemptions: 2) {
      let subject = CurrentValueSubject<Int, TestError>(0)
      var request: ((Subscribers.Demand) -> Void)?
      let witness = Witness<Int>(requesting: theCase.demand) { value in
        guard value == theCase.trigger else { return .none }
        if let more = theCase.reaction.requested { request?(more) }
        return theCase.reaction.returned
      }
      request = { [unowned witness] in witness.request($0) }
      subject.subscribe(witness)
      return ThreadedProgram(
        threads: [{ witness.request(.max(1)) }] + (1...sends).map { value in { subject.send(value) } },
        faults: { witness.faultsAfterARequest(to: subject) }
      )
    }
  }
}

extension Witness where Input == Int {

  /// The faults of a subscriber that lacks nothing after one more request, and has no value twice.
  ///
  /// It is cancelled, as the subscription and the subscriber own each other until then.
  func faultsAfterARequest(to subject: CurrentValueSubject<Int, TestError>) -> [String] {
    defer { cancel() }
    request(.max(1))
    var verdict = Verdict(self)
    verdict.require(Set(values).count == values.count, "\(values)")
    verdict.require(values.last == subject.value, "\(values), and the value is \(subject.value)")
    return verdict.faults
  }
}
