#if NIO
  import CombineCore

  /// The pure state of the inbound end of one channel: what was read, what was requested, and whether to read more.
  ///
  /// It is used on the channel's event loop only. Each method is one event, and returns what to do next. After a delivery
  /// the caller calls ``next(_:)``.
  @usableFromInline
  struct InboundMachine<Value>: ~Copyable {

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

    /// The values that were read and not requested, which are the rest of a read cycle, and the end of the input.
    @usableFromInline
    var queue = Deliverer<Value, any Error>(.afterValues)

    @usableFromInline
    var isChannelActive = false

    /// Whether `read()` was called, and the read cycle has not ended.
    @usableFromInline
    var isReading = false

    @inlinable
    init() {}

    /// Notes that the subscriber has received its subscription.
    mutating func open() -> Action {
      queue.didOpen()
      return begin()
    }

    /// Adds demand. The source opens the queue, when it has the subscriber.
    mutating func request(_ more: Subscribers.Demand) -> Action {
      _ = queue.add(more)
      return begin()
    }

    /// Ends the subscription.
    @usableFromInline
    mutating func cancel() -> Action {
      let (isFirst, _, values) = queue.cancel()
      return isFirst ? .close(values) : .nothing
    }

    /// Notes that the channel has become active. A `read()` before that has no effect, so it is repeated.
    mutating func activate() -> Action {
      isChannelActive = true
      isReading = false
      return begin()
    }

    /// Takes a value that was read.
    @inlinable
    mutating func receive(_ value: Value) -> Action {
      if case .value(let value) = queue.send(value) { .deliver(value) } else { .nothing }
    }

    /// Notes the end of a read cycle.
    mutating func completeRead() -> Action {
      isReading = false
      return begin()
    }

    /// Notes the end of the input. Only the first one counts.
    mutating func finish(_ completion: Subscribers.Completion<any Error>) -> Action {
      queue.enqueue(completion: completion)
      return begin()
    }

    /// Notes that the subscriber has received a value, and finds what to do next.
    ///
    /// - Parameter more: The demand that the subscriber has returned.
    @inlinable
    mutating func next(_ more: Subscribers.Demand) -> Action {
      _ = queue.add(more)
      return action(for: queue.next())
    }

    private mutating func begin() -> Action {
      action(for: queue.begin())
    }

    @inlinable
    mutating func action(for delivery: Deliverer<Value, any Error>.Delivery) -> Action {
      switch delivery {
      case .value(let value): return .deliver(value)
      case .completion(let completion): return .complete(completion)
      case .queued, .release: return .nothing
      case .nothing:
        guard queue.mayBegin, !queue.isClosed, queue.demand > .none, isChannelActive, !isReading else {
          return .nothing
        }
        isReading = true
        return .read
      }
    }
  }
#endif
