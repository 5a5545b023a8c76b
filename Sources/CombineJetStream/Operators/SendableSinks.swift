#if JetStream
  import CombineCore

  // Statements at the top level of `main.swift`, and `@main static func main()`, belong to the main actor. So does a closure
  // in them, unless it is `@Sendable`. In the Swift 6 mode such a closure ends the program when another thread calls it. So
  // the sinks of pipelines of this module take `@Sendable` closures, and the compiler says what they must not use.
  //
  // Other operators have no such overloads. With them, the compiler takes ten times as long for a chain of five closures.

  extension Publisher where Failure == JetStreamError {

    /// Subscribes with unlimited demand and calls closures with the elements and the completion, on a thread of the
    /// connection.
    ///
    /// It differs from Combine's `sink` in one point: the closures are `@Sendable`, as another thread calls them. So they may
    /// stand in `main.swift`, and they cannot use what belongs to the main actor. Behind `receive(on:)`, the closures need
    /// not be `@Sendable`.
    ///
    /// ```swift
    /// let jetStream = try await JetStream.connect()
    /// let printing = jetStream.messages(stream: "ORDERS", consumer: "printer")
    ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.subject) })
    /// ```
    ///
    /// - Parameters:
    ///   - receiveCompletion: A closure that is called once, with the completion.
    ///   - receiveValue: A closure that is called with each element.
    /// - Returns: A cancellable. Cancelling or releasing it stops the delivery of elements.
    @inlinable
    public func sink(
      receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping @Sendable (Output) -> Void
    ) -> AnyCancellable {
      plainSink(receiveCompletion, receiveValue)
    }
  }

  extension Publishers.ReceiveOn where Upstream.Failure == JetStreamError {

    /// Subscribes with unlimited demand and calls closures with the elements and the completion, on the scheduler.
    ///
    /// It is Combine's `sink`, with closures that may belong to an actor, such as the main actor behind
    /// `receive(on: DispatchQueue.main)`.
    ///
    /// - Parameters:
    ///   - receiveCompletion: A closure that is called once, with the completion.
    ///   - receiveValue: A closure that is called with each element.
    /// - Returns: A cancellable. Cancelling or releasing it stops the delivery of elements.
    @inlinable
    public func sink(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
      plainSink(receiveCompletion, receiveValue)
    }
  }

  // MARK: What does not fail with JetStreamError

  extension Publisher where Output == PublishAcknowledgement, Failure == any Error {

    /// Subscribes with unlimited demand and calls `@Sendable` closures with the acknowledgements and the completion, on a
    /// thread of the connection.
    ///
    /// - Parameters:
    ///   - receiveCompletion: A closure that is called once, with the completion.
    ///   - receiveValue: A closure that is called with each acknowledgement.
    /// - Returns: A cancellable. Cancelling or releasing it stops the delivery of elements.
    @inlinable
    public func sink(
      receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping @Sendable (Output) -> Void
    ) -> AnyCancellable {
      plainSink(receiveCompletion, receiveValue)
    }
  }

  extension Publisher where Output == JetStream.ConnectionState, Failure == Never {

    /// Subscribes with unlimited demand and calls a `@Sendable` closure with each state, on a thread of the connection.
    ///
    /// - Parameter receiveValue: A closure that is called with each state.
    /// - Returns: A cancellable. Cancelling or releasing it stops the delivery of elements.
    @inlinable
    public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
      plainSink({ _ in }, receiveValue)
    }
  }

  extension Publisher where Output == JetStream.ConnectionEvent, Failure == Never {

    /// Subscribes with unlimited demand and calls a `@Sendable` closure with each event, on a thread of the connection.
    ///
    /// - Parameter receiveValue: A closure that is called with each event.
    /// - Returns: A cancellable. Cancelling or releasing it stops the delivery of elements.
    @inlinable
    public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
      plainSink({ _ in }, receiveValue)
    }
  }

  extension Publisher where Output == PoisonousMessage, Failure == Never {

    /// Subscribes with unlimited demand and calls a `@Sendable` closure with each message, on a thread of the connection.
    ///
    /// - Parameter receiveValue: A closure that is called with each message.
    /// - Returns: A cancellable. Cancelling or releasing it stops the delivery of elements.
    @inlinable
    public func sink(receiveValue: @escaping @Sendable (Output) -> Void) -> AnyCancellable {
      plainSink({ _ in }, receiveValue)
    }
  }

  extension Publisher {

    /// Calls the `sink` of Combine. Here nothing is known of the failure, so no overload is better.
    @inlinable
    func plainSink(
      _ receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      _ receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
      sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    }
  }
#endif
