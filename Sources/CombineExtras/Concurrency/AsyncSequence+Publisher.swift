import CombineThreads
import CombineCore

extension AsyncSequence where Self: Sendable, Element: Sendable {

  /// A publisher of the elements of this sequence.
  ///
  /// Each subscription iterates over the sequence in a task of its own. The task asks for one element for each demanded
  /// value, and never for more. The end of the sequence, or its error, is found when an element is asked for. So a
  /// subscriber that has requested exactly as many elements as there are receives the completion after its next request.
  ///
  /// A cancellation cancels the task, and nothing is published after it. Elements are published on the task's thread.
  ///
  /// ```swift
  /// func show(_ lines: AsyncStream<String>) -> AnyCancellable {
  ///   lines.publisher.sink { print($0) }
  /// }
  /// ```
  public var publisher: ExtraPublishers.AsyncSequence<Self> {
    ExtraPublishers.AsyncSequence(sequence: self)
  }
}

extension ExtraPublishers {

  /// A publisher of the elements of an asynchronous sequence.
  public struct AsyncSequence<Elements: _Concurrency.AsyncSequence & Sendable>: Publisher, Sendable
  where Elements.Element: Sendable {

    /// The kind of values this publisher publishes.
    public typealias Output = Elements.Element

    /// The kind of errors this publisher can fail with: those that the sequence throws.
    public typealias Failure = Elements.Failure

    /// The sequence of the elements.
    public let sequence: Elements

    /// Creates a publisher of the elements of an asynchronous sequence.
    ///
    /// - Parameter sequence: The sequence of the elements.
    @inlinable
    public init(sequence: Elements) {
      self.sequence = sequence
    }

    /// Subscribes `subscriber` to the elements. The iteration starts at the first request.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      ExtraConduits.AsyncSequence(sequence: sequence, downstream: subscriber).open()
    }
  }
}

// MARK: Machine

/// The pure state of an iteration: the demand, and whether the task waits for it.
@usableFromInline
struct IterationMachine {

  @usableFromInline
  var demand = Subscribers.Demand.none
  @usableFromInline
  var hasStarted = false

  /// Whether the task waits, or is about to wait, for a resumption.
  @usableFromInline
  var isWaiting = false

  @usableFromInline
  var hasEnded = false

  @usableFromInline
  enum RequestAction: Equatable {
    case none

    /// Start the task.
    case start

    /// Resume the waiting task.
    case resume
  }

  @inlinable
  mutating func request(_ more: Subscribers.Demand) -> RequestAction {
    if hasEnded { return .none }
    demand += more
    if !exchange(&hasStarted, with: true) { return .start }
    return exchange(&isWaiting, with: false) ? .resume : .none
  }

  @usableFromInline
  enum Turn: Equatable {

    /// Ask the sequence for an element.
    case next

    /// Wait until there is demand.
    case wait

    /// The subscription has ended.
    case stop
  }

  /// Decides what the task does next. The demand for an element is used up when the element is asked for.
  @inlinable
  mutating func turn() -> Turn {
    if hasEnded { return .stop }
    guard demand > .none else {
      isWaiting = true
      return .wait
    }
    demand -= 1
    return .next
  }

  /// Ends the state. A waiting task must be resumed.
  @inlinable
  mutating func end() {
    hasEnded = true
    isWaiting = false
  }
}

// MARK: Conduit

extension ExtraConduits {

  @usableFromInline
  final class AsyncSequence<Elements: _Concurrency.AsyncSequence & Sendable, Downstream: Subscriber>:
    QueuedConduit<Downstream>, CustomStringConvertible
  where
    Elements.Element: Sendable, Downstream.Input == Elements.Element, Downstream.Failure == Elements.Failure
  {
    @usableFromInline
    let sequence: Elements

    @usableFromInline
    let task = CancellableTask()

    @exclusivity(unchecked)  // These two: only with the lock held, after `init`.
    @usableFromInline
    var state = IterationMachine()

    @exclusivity(unchecked)
    @usableFromInline
    var waiting: CheckedContinuation<Void, Never>?

    @inlinable
    init(sequence: Elements, downstream: Downstream) {
      self.sequence = sequence
      super.init(downstream: downstream)
    }

    @inlinable
    override func receive(demand: Subscribers.Demand) {
      let (action, waiting) = lock.withLock {
        let action = state.request(demand)
        return (action, action == .resume ? exchange(&self.waiting, with: nil) : nil)
      }
      waiting?.resume()
      if action == .start { task.start(TaskWork { await self.run() }) }
    }

    @inlinable
    func run() async {
      var iterator = sequence.makeAsyncIterator()
      do throws(Elements.Failure) {
        while await mayContinue() {
          guard let element = try await iterator.next(isolation: nil) else { return send(completion: .finished) }
          send(element)
        }
      } catch {
        send(completion: .failure(error))
      }
    }

    /// Waits for demand.
    ///
    /// - Returns: Whether there is demand. If not, the subscription has ended.
    @inlinable
    func mayContinue() async -> Bool {
      while true {
        switch lock.withLock({ state.turn() }) {
        case .next: return true
        case .stop: return false
        case .wait:
          await withCheckedContinuation { continuation in
            // Demand, or the end, may have come since the turn.
            let isLate = lock.withLock {
              if state.isWaiting { waiting = continuation }
              return !state.isWaiting
            }
            if isLate { continuation.resume() }
          }
        }
      }
    }

    @inlinable
    override func didEnd() {
      super.didEnd()
      let waiting = lock.withLock {
        state.end()
        return exchange(&self.waiting, with: nil)
      }
      task.cancel()
      waiting?.resume()
    }

    @inlinable
    var description: String { "AsyncSequence" }
  }
}

// The lock guards the state. The sequence is Sendable, and the queue makes one call to the downstream at a time.
extension ExtraConduits.AsyncSequence: @unchecked Sendable {}
