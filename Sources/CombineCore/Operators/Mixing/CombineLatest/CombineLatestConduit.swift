import CombineThreads
import Synchronization

/// The part of a combine-latest's conduit that is not generic.
@usableFromInline
class CombineLatestCore: GatedConduit<CombineLatestMachine> {

  @usableFromInline
  init(count: Int) {
    super.init(CombineLatestMachine(count: count))
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription, at index: Int) {
    answer(subscription, with: step { $0.accept(subscription, at: index) })
  }

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    demand.assertNonZero("CombineLatest")
    for upstream in step({ $0.request(demand) }) { upstream.request(demand) }
  }

  @usableFromInline
  override func cancel() {
    var dropped: Subscribers.Completion<any Error>?
    cancelUpstreams { $0.cancel(dropped: &dropped) }
    _ = consume dropped  // With the lock free.
  }

  /// Requests the demand returned for a combination that another thread than its sender's has delivered.
  @usableFromInline
  final func request(_ demand: Subscribers.Demand, from index: Int) {
    step { $0.isOpen ? $0.upstreams[index] : nil }?.request(demand)
  }

  @usableFromInline
  final func add(_ returned: Subscribers.Demand) {
    step { $0.add(returned) }
  }
}

extension Conduits {

  /// The subscription of a combine-latest. It keeps the latest value of each upstream.
  @usableFromInline
  final class CombineLatest<Values: MixingSlots, Downstream: Subscriber>: CombineLatestCore, SlotsParent
  where Downstream.Input == Values.Output {

    @usableFromInline
    typealias ConstituentFailure = Downstream.Failure

    @usableFromInline
    let downstream: Downstream

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var values: Values

    /// A combination that waits while another thread is inside the downstream.
    @usableFromInline
    typealias Waiting = (output: Downstream.Input, index: Int)

    /// The combinations that wait, the oldest first.
    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var waiting = Deque<Waiting>()

    /// The number of combinations ever taken out of `waiting`; the greatest integer after the end. Set with the lock held.
    /// Waiting threads read it without the lock.
    @usableFromInline
    let takenCount = Atomic<Int64>(0)

    /// The number of combinations that had been taken at the end. The others were dropped.
    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var lastTaken: Int64?

    @inlinable
    init(downstream: Downstream, values: consuming Values = Values()) {
      self.downstream = downstream
      let count = values.width
      self.values = values
      super.init(count: count)
    }

    /// Delivers the subscription, after all upstreams were subscribed to.
    @usableFromInline
    func announce() {
      downstream.receive(subscription: self)
      if let completion = step({ $0.didAnnounce() }) { complete(completion) }
    }

    @usableFromInline
    func receive(subscription: any Subscription, at index: Int) {
      accept(subscription, at: index)
    }

    @inlinable
    func receive<Input>(
      _ input: Input,
      at index: Int,
      put: (CombineLatest<Values, Downstream>, Input) -> Input?
    ) -> Subscribers.Demand {
      lock.lock()
      guard machine.isOpen else {
        lock.unlock()
        return .none
      }
      let replaced = put(self, input)
      // A value inside a delivery on this thread makes no combination.
      guard values.isComplete, machine.hasDemand, !gate.isEntered else {
        lock.unlock()
        _ = replaced  // Released with the lock free.
        return .none
      }
      machine.takeDemand()
      let isUnlimited = machine.demand.isUnlimited
      let output = values.read()
      // The gate is entered in the same step. So combinations are delivered in the order in which they were made, and a
      // completion that another thread decides from now on comes after this one.
      guard waiting.isEmpty, gate.enterIfFree() else {
        waiting.append((output, index))
        let number = takenCount.load(ordering: .relaxed) + Int64(waiting.count)
        lock.unlock()
        _ = replaced
        return deliverWaiting(upTo: number)
      }
      lock.unlock()
      _ = replaced

      let returned = gate.deliver(output, to: downstream)
      if !isUnlimited, returned.rawValue != 0 { add(returned) }
      let isDelegated = gate.leave()
      withExtendedLifetime(output) {}  // Released with the gate free.
      if isDelegated { completeIfDue() }
      return returned
    }

    /// Waits until another thread has left the downstream, and delivers all combinations up to that of this thread, the
    /// oldest first. It returns earlier if another thread has taken this thread's combination, or after the end.
    ///
    /// - Returns: The demand returned for the combination of this thread.
    @inlinable
    @inline(never)
    func deliverWaiting(upTo number: Int64) -> Subscribers.Demand {
      var own = Subscribers.Demand.none
      var delivered: [(waiting: Waiting, returned: Subscribers.Demand)] = []
      gate.pass(unless: { takenCount.load(ordering: .acquiring) >= number }, delegated: { completeIfDue() }) {
        while let (waiting, isOwn, isUnlimited) = takeWaiting(upTo: number) {
          let returned = downstream.receive(waiting.output)
          if !isUnlimited, returned.rawValue != 0 { add(returned) }
          if isOwn { own = returned }
          delivered.append((waiting, isOwn ? .none : returned))
        }
      }
      // Another thread may have delivered it. At the end it is dropped.
      if lock.withLock({ number > lastTaken ?? number }) { DeliveryReceipt.refuse() }
      // With the gate free: the upstreams are called, and the combinations are released.
      for (waiting, returned) in delivered where returned.rawValue != 0 { request(returned, from: waiting.index) }
      return own
    }

    @inlinable
    func takeWaiting(upTo number: Int64) -> (Waiting, isOwn: Bool, isUnlimited: Bool)? {
      lock.withLock {
        let taken = takenCount.load(ordering: .relaxed) &+ 1
        // No combination waits after the end.
        guard taken <= number, let first = waiting.popFirst() else { return nil }
        takenCount.store(taken, ordering: .releasing)
        return (first, taken == number, machine.demand.isUnlimited)
      }
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Downstream.Failure>, at index: Int) {
      var dropped: (any Subscription)?
      let ending = end { machine in
        switch completion {
        case .finished: machine.finish(at: index, dropped: &dropped)
        case .failure(let error): machine.fail(error, at: index, dropped: &dropped)
        }
      }
      guard let ending else { return }
      for upstream in ending.cancelled { upstream.cancel() }
      if let completion = ending.completion { complete(completion) }
    }

    @usableFromInline
    override func cancel() {
      super.cancel()
      end { _ in () }
    }

    /// Takes a step that may end the combine-latest. At the end it drops the values.
    private func end<Result>(_ body: (inout CombineLatestMachine) -> Result) -> Result {
      var discarded = Values()
      var discardedWaiting = Deque<Waiting>()
      let result = step { machine in
        let result = body(&machine)
        if !machine.isOpen {
          values.exchangeValues(with: &discarded)
          swap(&waiting, &discardedWaiting)
          if lastTaken == nil { lastTaken = takenCount.load(ordering: .relaxed) }
          takenCount.store(.max, ordering: .releasing)
        }
        return result
      }
      if mirror.hasEnded { gate.releaseWaiting() }
      _ = consume discarded  // With the lock free.
      _ = consume discardedWaiting
      return result
    }

    private func complete(_ completion: Subscribers.Completion<any Error>) {
      complete(downstream, with: completion.mapFailure { $0 as! Downstream.Failure })
    }
  }
}

extension Conduits.CombineLatest: DescribedByName {

  @usableFromInline
  var description: String { "CombineLatest" }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let (machine, values) = lock.withLock { (self.machine, self.values.reflectedValues) }
    return [
      "downstream": downstream,
      "upstreamSubscriptions": machine.upstreams.subscriptions,
      "demand": machine.demand,
      "buffers": values,
    ]
  }
}
