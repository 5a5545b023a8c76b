import CombineThreads
import Synchronization

extension Conduits {

  @usableFromInline
  final class Buffer<Downstream: Subscriber>: Conduit, Subscriber, DescribedByName {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    typealias Machine = BufferMachine<Input, Failure>

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let prefetch: Publishers.PrefetchStrategy

    @exclusivity(unchecked)  // Only with the lock held.
    @usableFromInline
    var machine: Machine

    /// Whether the rest of a batch is dropped. A completion does not stop a batch.
    @usableFromInline
    let isCancelled = Atomic<Bool>(false)

    /// Answers a request. It is made where the types are known. A method, called through the existential that the
    /// downstream holds, would look up every type at run time.
    @usableFromInline
    let answer: (Buffer, Subscribers.Demand) -> Void

    @inlinable
    init(
      downstream: Downstream,
      size: Int,
      prefetch: Publishers.PrefetchStrategy,
      whenFull: Publishers.BufferingStrategy<Failure>
    ) {
      self.downstream = downstream
      self.prefetch = prefetch
      machine = Machine(size: size, whenFull: whenFull)
      answer = { $0.serve($1) }
    }

    @inlinable
    func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      if prefetch == .keepFull {
        if machine.size < 0 { Misuse.trap("Buffer", .negativeSize) }
        subscription.request(.max(machine.size))
      } else {
        subscription.request(.unlimited)
      }
      downstream.receive(subscription: self)
      // A failure of the upstream inside the request has waited for that, as it needs no demand.
      deliver { machine, batch in machine.didSendSubscription(on: Platform.currentThread, into: &batch) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
      var arrival = Machine.Arrival.ignored
      let count = deliver { machine, batch in
        let thread = Platform.currentThread
        arrival = machine.receive(input, on: thread)
        guard case .drain = arrival else { return .nothing }
        return machine.drain(on: thread, into: &batch)
      }
      if case .fail(let makeError) = arrival { fail(with: makeError()) }
      return prefetch == .keepFull ? .max(count) : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      deliver { machine, batch in
        let thread = Platform.currentThread
        return machine.complete(completion, on: thread) ? machine.drain(on: thread, into: &batch) : .nothing
      }
    }

    @inlinable
    func fail(with error: Failure) {
      // Taken first: when the error is recorded, a request on another thread may end the connection.
      let subscription = subscription
      let isFirst = lock.withLock {
        machine.fail(with: error)
        return !exchange(&machine.isUpstreamCancelled, with: true)
      }
      if isFirst { subscription?.cancel() }
    }

    @inlinable
    func serve(_ demand: Subscribers.Demand) {
      // Taken first: as in Combine, the values delivered are requested again, though the buffer may have ended meanwhile.
      guard let subscription else { return }
      let count = deliver { machine, batch in
        machine.request(demand, on: Platform.currentThread, into: &batch)
      }
      if count > 0 && prefetch == .keepFull { subscription.request(.max(count)) }
    }

    /// Does one step of the machine, while connected, and delivers what the machine returns then and after each batch.
    ///
    /// - Parameter first: A closure that does the step. It fills the batch.
    /// - Returns: The number of values delivered, without those of nested calls.
    @inlinable
    @inline(__always)
    @discardableResult
    func deliver(_ first: (inout Machine, inout Deque<Input>) -> Machine.Next) -> Int {
      var batch = Deque<Input>()
      var count = 0
      var next = step { phase == .subscribed ? first(&machine, &batch) : .nothing }
      while case .batch = next {
        var more = Subscribers.Demand.none
        while !isCancelled.load(ordering: .acquiring), let value = batch.popFirst() {
          more += downstream.receive(value)
          count += 1
        }
        next = step { machine.didDeliver(more, into: &batch) }
      }
      if case .completion(let completion) = next { downstream.receive(completion: completion) }
      return count
    }

    /// Takes one step of the machine. If it returns a completion, the connection ends. (`Stepped` does not know that.)
    @inlinable
    @inline(__always)
    func step(_ body: () -> Machine.Next) -> Machine.Next {
      lock.lock()
      let next = body()
      guard case .completion = next else {
        lock.unlock()
        return next
      }
      let released = disconnectLocked()
      lock.unlock()
      withExtendedLifetime(released) {}  // Released with the lock free.
      return next
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      answer(self, demand)
    }

    @usableFromInline
    override func cancel() {
      var dropped = Deque<Input>()
      let (subscription, isFirst) = lock.withLock { () -> ((any Subscription)?, Bool) in
        guard phase != .awaiting else { return (nil, false) }
        machine.cancel(on: Platform.currentThread, dropped: &dropped)
        isCancelled.store(true, ordering: .releasing)
        return (disconnectLocked(), !exchange(&machine.isUpstreamCancelled, with: true))
      }
      _ = consume dropped  // With the lock free.
      if isFirst { subscription?.cancel() }
    }

    @usableFromInline
    var description: String { "Buffer" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> {
      let (values, demand, terminal) = lock.withLock { (machine.values.elements, machine.demand, machine.terminal) }
      return ["values": values, "state": phase, "downstreamDemand": demand, "terminal": terminal as Any]
    }
  }
}
