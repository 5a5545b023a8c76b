import CombineThreads
import Synchronization

/// The part of a merge's conduit that is not generic.
@usableFromInline
class MergeCore: GatedConduit<MergeMachine> {

  @usableFromInline
  final let end = EndThread()

  /// Delivers the values that wait. It is made where the types are known. A method, called through the existential that
  /// the downstream holds, would look up every type at run time.
  private final let flush: (MergeCore) -> Void

  @usableFromInline
  init(count: Int, flush: @escaping (MergeCore) -> Void) {
    self.flush = flush
    super.init(MergeMachine(count: count))
  }

  @usableFromInline
  final func accept(_ subscription: any Subscription, at index: Int) {
    answer(subscription, with: step { $0.accept(subscription, at: index) })
  }

  @usableFromInline
  final override func request(_ demand: Subscribers.Demand) {
    if gate.isEntered {
      if !mirror.hasEnded { pending += demand }
    } else if step({ $0.request(demand) }) {
      flush(self)
    }
  }

  @usableFromInline
  override func cancel() {
    cancelUpstreams { machine in
      if !machine.isTerminated { end.note() }
      return machine.cancel()
    }
  }

  @usableFromInline
  final func requestUnlimited() {
    for upstream in step({ $0.takeUnlimitedRequest() }) { upstream.request(.unlimited) }
  }

  /// Ends the delivery of the values taken, and requests their successors.
  ///
  /// - Parameters:
  ///   - first: The upstream of the first value.
  ///   - others: The upstreams of the other values.
  ///   - isCounted: Whether the values used up demand.
  ///   - more: The demand that they have brought.
  /// - Returns: Whether every upstream has finished, so that the downstream is to complete.
  @usableFromInline
  final func didFlush(_ first: Int?, _ others: [Int], isCounted: Bool, _ more: Subscribers.Demand) -> Bool {
    // The subscriptions are taken one by one. With a copy of all slots, the next upstream that finishes would copy them,
    // at a cost that grows with the number of upstreams.
    var firstUpstream: (any Subscription)?
    var otherUpstreams: [any Subscription] = []
    let cancelled = step { machine in
      if machine.didFlush((first == nil ? 0 : 1) + others.count, isCounted: isCounted, more) {
        firstUpstream = first.flatMap { machine.upstreams[$0] }
        otherUpstreams = others.compactMap { machine.upstreams[$0] }
      }
      return machine.terminateIfFinished()
    }
    if let cancelled { return cancelBeforeCompletion(cancelled) }
    firstUpstream?.request(.max(1))
    for upstream in otherUpstreams { upstream.request(.max(1)) }
    return false
  }
}

extension Conduits {

  /// The subscription of a merge. It delivers the values of all upstreams, and keeps the latest of each without demand.
  @usableFromInline
  final class Merge<Downstream: Subscriber>: MergeCore, ConstituentParent {

    @usableFromInline
    typealias ConstituentInput = Downstream.Input

    @usableFromInline
    typealias ConstituentFailure = Downstream.Failure

    @usableFromInline
    typealias ConstituentKey = Int

    @usableFromInline
    let downstream: Downstream

    /// The value of each upstream that waits for demand.
    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var waiting: [Downstream.Input?]

    @inlinable
    init(count: Int, downstream: Downstream) {
      self.downstream = downstream
      waiting = Array(repeating: nil, count: count)
      super.init(count: count) { _unsafeUncheckedDowncast($0, to: Merge<Downstream>.self).flush() }
    }

    @usableFromInline
    func receive(subscription: any Subscription, at index: Int) {
      accept(subscription, at: index)
    }

    @inlinable
    func receive(_ input: Downstream.Input, at index: Int) -> Subscribers.Demand {
      guard mirror.isUnlimited else { return receiveCounted(input, at: index) }
      return gate.pass(input, to: downstream, unless: end.isElsewhere) { flush() }
    }

    @inlinable
    @inline(never)
    func receiveCounted(_ input: Downstream.Input, at index: Int) -> Subscribers.Demand {
      var replaced: Downstream.Input?
      let arrival = step { machine in
        let arrival = machine.receive(from: index)
        if case .keep = arrival { replaced = exchange(&waiting[index], with: input) }
        return arrival
      }
      _ = replaced  // Released with the lock free.

      switch arrival {
      case .deliver:
        return gate.pass(input, to: downstream, unless: end.isElsewhere) { flush() }
      case .deliverCounted:
        let entry = gate.enter(unless: { end.isElsewhere })
        if entry == .refused {
          DeliveryReceipt.refuse()
          return .max(1)
        }
        let demand = end.isElsewhere ? DeliveryReceipt.refuse() : gate.deliver(input, to: downstream) + takePending()
        let isDelegated = entry == .outermost && gate.leave()
        // The end of an outer delivery flushes.
        if step({ $0.didDeliver(demand) }) && entry == .outermost || isDelegated { flush() }
        return .max(1)
      case .keep:
        return .none
      case .drop:
        return DeliveryReceipt.refuse()
      }
    }

    /// Delivers the values that wait, as far as there is demand, and requests more from their upstreams, and then a completion
    /// that is due. It never waits: while another thread is inside the downstream, that thread does it.
    @inlinable
    func flush() {
      flushValues()
      completeIfDue()
    }

    @inlinable
    func flushValues() {
      while gate.enterOrDelegate() {
        let taken = takeWaiting()
        var demand = Subscribers.Demand.none
        if let (_, value) = taken.first { demand += deliverTaken(value) }
        for (_, value) in taken.others { demand += deliverTaken(value) }
        let isDelegated = gate.leave()
        if didFlush(taken.first?.index, taken.others.map { $0.index }, isCounted: taken.isCounted, demand) {
          complete(downstream, with: .finished)
          return
        }
        if taken.first == nil && !isDelegated { return requestUnlimited() }
      }
    }

    /// Called inside the gate.
    @inlinable
    func deliverTaken(_ value: Downstream.Input) -> Subscribers.Demand {
      mirror.hasEnded ? .none : gate.deliver(value, to: downstream) + takePending()
    }

    @usableFromInline
    typealias Taken = (index: Int, value: Downstream.Input)

    /// Takes the values that wait, as far as there is demand, in one step. More is requested from the upstreams after all
    /// of them. Called inside the gate.
    ///
    /// The first value is apart from the others, so that a request for one value allocates nothing.
    @inlinable
    func takeWaiting() -> (first: Taken?, others: [Taken], isCounted: Bool) {
      step { machine in
        let isCounted = !machine.demand.isUnlimited
        guard let first = takeOne(&machine) else { return (nil, [], isCounted) }
        var others: [Taken] = []
        while let other = takeOne(&machine) { others.append(other) }
        machine.didTakeWaiting(first: first.index)
        return (first, others, isCounted)
      }
    }

    /// Called with the lock held.
    @inlinable
    func takeOne(_ machine: inout MergeMachine) -> Taken? {
      guard let index = machine.takeWaiting() else { return nil }
      return (index, exchange(&waiting[index], with: nil).unsafelyUnwrapped)
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Downstream.Failure>, at index: Int) {
      var dropped: (any Subscription)?
      let cancelled = step { machine in
        switch completion {
        case .finished:
          dropped = machine.finish(at: index)
          return machine.terminateIfFinished()
        case .failure:
          let cancelled = machine.terminate()
          if cancelled != nil { end.note() }
          return cancelled
        }
      }
      _ = dropped  // Released with the lock free.
      guard let cancelled else { return }
      dropWaiting()
      if cancelBeforeCompletion(cancelled) { complete(downstream, with: completion) }
    }

    @usableFromInline
    override func cancel() {
      super.cancel()
      dropWaiting()
    }

    private func dropWaiting() {
      // No value is kept after the end.
      let dropped = lock.withLock { exchange(&waiting, with: []) }
      _ = dropped  // Released with the lock free.
    }
  }
}

extension Conduits.Merge: DescribedByName {

  @usableFromInline
  var description: String { "Merge" }
}
