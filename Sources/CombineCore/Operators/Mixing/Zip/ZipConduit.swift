import CombineThreads
import Synchronization

/// The part of a zip's conduit that is not generic.
@usableFromInline
class ZipCore: GatedConduit<ZipMachine> {

  @usableFromInline
  init(count: Int) {
    super.init(ZipMachine(count: count))
  }

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("Zip")
    if gate.isEntered {
      pending += demand
    } else {
      requestUpstreams(demand)
    }
  }

  final func requestUpstreams(_ demand: Subscribers.Demand) {
    for upstream in step({ $0.request(demand) }) { upstream.request(demand) }
  }

  /// Requests the demand that a combination has brought.
  @usableFromInline
  final func requestAfterCombination(_ demand: Subscribers.Demand, from index: Int) {
    for upstream in step({ $0.requestedAfterCombination(from: index) }) { upstream.request(demand) }
  }

  @usableFromInline
  override func cancel() {
    cancelUpstreams { $0.cancel() }
  }
}

extension Conduits {

  /// The subscription of a zip. It keeps the values of each upstream in a queue, and combines the first ones.
  @usableFromInline
  final class Zip<Values: MixingSlots & ~Copyable, Downstream: Subscriber>: ZipCore, SlotsParent
  where Downstream.Input == Values.Output {

    @usableFromInline
    typealias ConstituentFailure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var values: Values

    @inlinable
    init(downstream: Downstream, values: consuming Values = Values()) {
      self.downstream = downstream
      let count = values.width
      self.values = values
      super.init(count: count)
    }

    @usableFromInline
    func receive(subscription: any Subscription, at index: Int) {
      switch step({ $0.accept(subscription, at: index) }) {
      case .keep:
        break
      case .cancel:
        subscription.cancel()
      case .announce:
        downstream.receive(subscription: self)
        end { machine, _ in machine.didAnnounce() }
        let demand = step { $0.takeEarlyRequest() }
        if demand > .none { requestUpstreams(demand) }
      }
    }

    @inlinable
    func receive<Input>(_ input: Input, at index: Int, put: (Zip<Values, Downstream>, Input) -> Input?)
      -> Subscribers.Demand
    {
      lock.lock()
      guard machine.isOpen else {
        lock.unlock()
        return .none
      }
      _ = put(self, input)  // A queue replaces nothing.
      guard values.isComplete else {
        lock.unlock()
        return .none
      }
      let output = values.read()
      let isLast = machine.hasFinished && isDrained()
      // Entered in the same step: a completion that another thread decides from now on comes after this combination.
      var isOutermost = gate.enterIfFree()
      lock.unlock()

      if !isOutermost {
        // Another thread is inside, so some upstream sends on two threads at once. This value may be too late.
        let entry = gate.enter(unless: { mirror.hasEnded })
        if entry == .refused { return .none }
        isOutermost = entry == .outermost
        if isOutermost && mirror.hasEnded {
          if gate.leave() { completeIfDue() }
          return .none
        }
      }
      let returned = gate.deliver(output, to: downstream)
      let demand = returned + takePending()
      let isDelegated = isOutermost && gate.leave()
      withExtendedLifetime(output) {}  // Released with the gate free.
      if isDelegated { completeIfDue() }

      if isLast {
        finishAfterCombination()
        return .none
      }
      if demand.rawValue != 0 { requestAfterCombination(demand, from: index) }
      return demand
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Downstream.Failure>, at index: Int) {
      end { machine, values in
        switch completion {
        case .finished: machine.finish(at: index, isDrained: values.isEmpty(at: index))
        case .failure(let error): machine.fail(error)
        }
      }
    }

    @usableFromInline
    override func cancel() {
      super.cancel()
      end { _, _ in nil }
    }

    /// Whether some upstream has finished and has no value left. Called with the lock held.
    @usableFromInline
    func isDrained() -> Bool {
      values.hasEmptySlot(in: machine.finished)
    }

    @usableFromInline
    func finishAfterCombination() {
      end { machine, _ in machine.finishAfterCombination() }
    }

    /// Takes a step that may end the zip. At the end it drops the values, cancels, and delivers the completion.
    private func end(_ body: (inout ZipMachine, borrowing Values) -> ZipMachine.Ending?) {
      var discarded = Values()
      let ending = step { machine in
        let ending = body(&machine, values)
        if !machine.isOpen { values.exchangeValues(with: &discarded) }
        return ending
      }
      if mirror.hasEnded { gate.releaseWaiting() }
      _ = consume discarded  // With the lock free.

      guard let ending else { return }
      for upstream in ending.cancelled { upstream.cancel() }
      complete(downstream, with: ending.completion.mapFailure { $0 as! Downstream.Failure })
      withExtendedLifetime(ending.released) {}
    }
  }
}

extension Conduits.Zip: DescribedByName, ReflectedInConstituents where Values: ~Copyable {

  @usableFromInline
  var description: String { "Zip" }
}
