import CombineCore
import Scripts
import Testing

@testable import StageOurs

extension ConformanceTests {

  /// Each law is broken on purpose, by an operator made for it, and the harness must detect that.
  @Suite struct LawTests {

    @Test func anOperatorThatKeepsTheLawsBreaksNone() {
      #expect(laws(brokenBy: .nothing) == [])
    }

    @Test(
      arguments: [
        (Fault.sendsTwice, Law.demand),
        (.goesOnAfterCancel, .nothingAfterCancel),
        (.goesOnAfterCompletion, .nothingAfterCompletion),
        (.subscribesTwice, .oneSubscription),
        (.losesCancel, .cancelReachesUpstream),
        (.cancelsTwice, .noSecondCancel),
        (.keepsItself, .release),
      ]
    )
    func aBrokenLawIsDetected(fault: Fault, law: Law) {
      #expect(laws(brokenBy: fault).contains(law.description))
    }

    /// Returns the names of the laws that an operator with a fault breaks, as scripts detect them.
    private func laws(brokenBy fault: Fault) -> Set<String> {
      let entry = Entry("faulty") { stage in stage.present(Faulty(upstream: stage.source(), fault: fault)) }
      let contestant = Contestant(name: "faulty", entries: [entry])
      let generator = Generator(seed: 11, profiles: contestant.profiles)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
      defer { memory.deallocate() }
      let trace = Trace(memory: memory)
      var broken: Set<String> = []
      for number in 0..<400 {
        trace.clear()
        for violation in contestant.play(generator.script(number), trace) {
          broken.insert(String(violation.prefix { $0 != ":" }))
        }
      }
      return broken
    }
  }
}

enum Fault: Sendable {
  case nothing
  case sendsTwice, goesOnAfterCancel, goesOnAfterCompletion, subscribesTwice, losesCancel, cancelsTwice, keepsItself
}

/// An operator that forwards every event, except for one fault.
private struct Faulty<Upstream: Publisher>: Publisher {

  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let fault: Fault

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    upstream.subscribe(Conduit(downstream: subscriber, fault: fault))
  }

  private final class Conduit<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Output, Downstream.Failure == Failure {

    typealias Input = Output

    private let downstream: Downstream
    private let fault: Fault
    private var subscription: (any Subscription)?
    private var isCancelled = false
    private var isOver = false
    private var itself: Conduit?

    init(downstream: Downstream, fault: Fault) {
      self.downstream = downstream
      self.fault = fault
      if fault == .keepsItself { itself = self }
    }

    func receive(subscription: any Subscription) {
      if isCancelled || self.subscription != nil { return subscription.cancel() }
      self.subscription = subscription
      downstream.receive(subscription: self)
      if fault == .subscribesTwice { downstream.receive(subscription: self) }
    }

    func receive(_ input: Output) -> Subscribers.Demand {
      guard !isOver, subscription != nil else { return .none }
      let more = downstream.receive(input)
      return fault == .sendsTwice && !isOver ? more + downstream.receive(input) : more
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      guard !isOver, subscription != nil else { return }
      isOver = true
      subscription = nil
      downstream.receive(completion: completion)
      if fault == .goesOnAfterCompletion { downstream.receive(completion: completion) }
    }

    func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

    func cancel() {
      guard !isOver, let subscription else { return }
      isOver = fault != .goesOnAfterCancel
      isCancelled = true
      switch fault {
      case .losesCancel, .goesOnAfterCancel: break
      case .cancelsTwice:
        subscription.cancel()
        subscription.cancel()
      default: subscription.cancel()
      }
      if isOver { self.subscription = nil }
    }
  }
}
