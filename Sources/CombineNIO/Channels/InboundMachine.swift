#if NIO
  import CombineCore

  /// The pure state of the inbound end of one channel: what was read, what was requested, and whether to read more.
  ///
  /// It is used on the channel's event loop only. Each method is one event, and returns what to do next. After a delivery
  /// the caller calls ``next(_:)``.
  @usableFromInline
  struct InboundMachine<Value>: ~Copyable {

    @usableFromInline
    enum Phase {

      /// There is no subscriber, or it has not received its subscription.
      case awaiting

      /// Values and the completion are delivered.
      case active

      /// Completed or cancelled.
      case ended
    }

    @usableFromInline
    enum Action {

      case nothing

      /// Call the channel's `read()`.
      case read

      /// Deliver a value, and then call ``InboundMachine/next(_:)``.
      case deliver(Value)

      /// Deliver the completion, and drop the subscriber.
      case complete(Subscribers.Completion<any Error>)

      /// Drop the subscriber and the values, and close the channel.
      case close([Value])
    }

    @usableFromInline
    private(set) var phase = Phase.awaiting

    /// The outstanding demand.
    @usableFromInline
    var demand = Subscribers.Demand.none

    /// The values that were read and not requested: the rest of a read cycle.
    @usableFromInline
    var held = Deque<Value>()

    /// The end of the input. It waits for the held values.
    @usableFromInline
    var end: Subscribers.Completion<any Error>?

    @usableFromInline
    var isChannelActive = false

    /// Whether `read()` was called, and the read cycle has not ended.
    @usableFromInline
    var isReading = false

    @usableFromInline
    var isDelivering = false

    @usableFromInline
    init() {}

    /// Notes that the subscriber has received its subscription.
    @usableFromInline
    mutating func open() -> Action {
      guard phase == .awaiting else { return .nothing }
      phase = .active
      return begin()
    }

    /// Adds demand.
    @usableFromInline
    mutating func request(_ more: Subscribers.Demand) -> Action {
      guard phase != .ended else { return .nothing }
      demand += more
      return begin()
    }

    /// Ends the subscription.
    @usableFromInline
    mutating func cancel() -> Action {
      guard phase != .ended else { return .nothing }
      phase = .ended
      let values = held.elements
      held = Deque()
      return .close(values)
    }

    /// Notes that the channel has become active. A `read()` before that has no effect, so it is repeated.
    @usableFromInline
    mutating func activate() -> Action {
      isChannelActive = true
      isReading = false
      return begin()
    }

    /// Takes a value that was read.
    @usableFromInline
    mutating func receive(_ value: Value) -> Action {
      guard phase != .ended, end == nil else { return .nothing }
      guard phase == .active, !isDelivering, held.isEmpty, demand > .none else {
        held.append(value)
        return .nothing
      }
      demand -= 1
      isDelivering = true
      return .deliver(value)
    }

    /// Notes the end of a read cycle.
    @usableFromInline
    mutating func completeRead() -> Action {
      isReading = false
      return begin()
    }

    /// Notes the end of the input. Only the first one counts.
    @usableFromInline
    mutating func finish(_ completion: Subscribers.Completion<any Error>) -> Action {
      guard phase != .ended, end == nil else { return .nothing }
      end = completion
      return begin()
    }

    /// Notes that the subscriber has received a value, and finds what to do next.
    ///
    /// - Parameter more: The demand that the subscriber has returned.
    @usableFromInline
    mutating func next(_ more: Subscribers.Demand) -> Action {
      demand += more
      return advance()
    }

    /// Finds what to do, unless a delivery is under way, which then does it.
    private mutating func begin() -> Action {
      guard phase == .active, !isDelivering else { return .nothing }
      return advance()
    }

    private mutating func advance() -> Action {
      isDelivering = false
      guard phase == .active else { return .nothing }
      if demand > .none, let value = held.popFirst() {
        demand -= 1
        isDelivering = true
        return .deliver(value)
      }
      if let end {
        guard held.isEmpty else { return .nothing }
        phase = .ended
        return .complete(end)
      }
      guard demand > .none, isChannelActive, !isReading else { return .nothing }
      isReading = true
      return .read
    }
  }
#endif
