import Synchronization

/// What a subject and a published property have in common: how a value becomes the current one and is sent.
@usableFromInline
protocol CurrentValueSending: AnyObject {

  associatedtype Value
  associatedtype Failure: Error

  /// The subscribers.
  var subscribers: SubjectTable { get }

  /// Runs `body` with the lock of the state held.
  func withState<Result>(_ body: (inout CurrentValueState<Value>) -> Result) -> Result
}

extension CurrentValueSending {

  @usableFromInline
  typealias ValueConduit = SubjectConduit<Value, Failure, CurrentValueNotes>

  /// Makes a value the current one, and decides how it is sent.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - thread: The sending thread.
  ///   - isAlone: Whether no other send was running when this one began.
  @inlinable
  @inline(__always)
  func begin(_ value: Value, on thread: UInt, isAlone: Bool) -> CurrentValueState<Value>.Beginning {
    withState { state in
      let beginning = state.begin(value, on: thread, isAlone: isAlone)
      if beginning.pending != nil || beginning.isNested { subscribers.hasSendings.store(true, ordering: .relaxed) }
      return beginning
    }
  }

  /// Sends a value to each subscriber that has demand. The caller has begun a traversal.
  ///
  /// - Parameter prologue: A closure that is called before the first subscriber.
  @inlinable
  @inline(__always)
  func send(
    _ value: Value,
    _ beginning: CurrentValueState<Value>.Beginning,
    on thread: UInt,
    after prologue: () -> Void
  ) {
    if beginning.pending == nil, !beginning.isNested {
      subscribers.visit(ValueConduit.self, after: prologue) { $0.offerCurrent(value, number: beginning.number) }
    } else {
      sendAmongOthers(value, beginning, on: thread, after: prologue)
    }
  }

  /// Sends a value while other values are being sent, by other threads or around this send.
  @inline(never)
  @usableFromInline
  func sendAmongOthers(
    _ value: Value,
    _ beginning: CurrentValueState<Value>.Beginning,
    on thread: UInt,
    after prologue: () -> Void
  ) {
    subscribers.visit(ValueConduit.self, after: prologue) { subscriber in
      if let pending = beginning.pending { return subscriber.offer(pending, on: thread) }
      subscriber.offerNested(value, number: beginning.number) { last in
        withState { $0.outerNumbers(of: beginning.number, on: thread, after: last) }
      }
    }
  }

  /// Ends the send of a value. The caller has ended the traversal.
  @inlinable
  @inline(__always)
  func finish(_ number: Int, on thread: UInt) {
    if subscribers.hasSendings.load(ordering: .relaxed) { finishAmongOthers(number, on: thread) }
  }

  @inline(never)
  @usableFromInline
  func finishAmongOthers(_ number: Int, on thread: UInt) {
    let released = withState { state in
      let released = state.finish(number, on: thread)
      subscribers.hasSendings.store(!state.sendings.isEmpty, ordering: .relaxed)
      return released
    }
    withExtendedLifetime(released) {}
    subscribers.finishOvertakenValues(of: number)
  }
}
