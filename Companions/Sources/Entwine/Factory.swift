@_spi(Companions) import CombineExtras

extension Publishers {

  /// A publisher that gets its values from a closure, which is called with the first request of a subscriber.
  ///
  /// Values for which there is no demand wait in a queue without a limit.
  public struct Factory<Output, Failure: Error>: Publisher {

    private let publisher: Create<Output, Failure>

    /// Creates a publisher from a closure.
    ///
    /// - Parameter subscription: A closure that is called for each subscription, with the first request. It sends values
    ///   through its argument, and returns what is to be cancelled when the subscription ends.
    public init(_ subscription: @escaping (Dispatcher<Output, Failure>) -> AnyCancellable) {
      publisher = Create(startingWithRequest: { subscription(Dispatcher(subscriber: $0)) })
    }

    /// Gives `subscriber` a subscription whose first request calls the closure.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      publisher.receive(subscriber: subscriber)
    }
  }
}

/// Where the closure of a `Publishers.Factory` sends its values and its completion.
public class Dispatcher<Input, Failure: Error> {

  private let subscriber: ExtraPublishers.Create<Input, Failure>.Subscriber

  init(subscriber: ExtraPublishers.Create<Input, Failure>.Subscriber) {
    self.subscriber = subscriber
  }

  /// Sends a value, or keeps it until there is demand.
  ///
  /// - Parameter input: The value. After a completion or a cancellation it has no effect.
  public func forward(_ input: Input) {
    subscriber.send(input)
  }

  /// Sends a completion after the values that wait.
  ///
  /// - Parameter completion: The completion. Only the first one counts.
  public func forward(completion: Subscribers.Completion<Failure>) {
    subscriber.send(completion: completion)
  }

  /// Drops the values that wait, and sends a completion at once.
  ///
  /// - Parameter completion: The completion. Only the first one counts.
  public func forwardImmediately(completion: Subscribers.Completion<Failure>) {
    subscriber.sendImmediately(completion: completion)
  }
}
