/// A subscriber that erases the type of another subscriber, or that calls closures.
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline
  let box: ErasedSubscriber<Input, Failure>

  /// The identifier of the erased subscriber.
  ///
  /// A subscriber made from closures has a new one.
  public let combineIdentifier: CombineIdentifier

  /// Erases the type of a subscriber.
  ///
  /// An `AnySubscriber` is not wrapped again.
  ///
  /// - Parameter s: The subscriber to erase.
  @inlinable
  public init<S: Subscriber>(_ s: S) where S.Input == Input, S.Failure == Failure {
    if let erased = s as? AnySubscriber<Input, Failure> {
      self = erased
    } else {
      box = SubscriberBox(s)
      combineIdentifier = s.combineIdentifier
    }
  }

  /// Creates a subscriber that sends what it receives through a subject.
  ///
  /// - Parameter s: The subject. The subscriber does not keep it alive.
  public init<S: Subject>(_ s: S) where S.Output == Input, S.Failure == Failure {
    self.init(SubjectSubscriber(s))
  }

  /// Creates a subscriber from closures.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that is called with the subscription. Without it, the subscriber requests
  ///     nothing.
  ///   - receiveValue: A closure that is called with each element and returns additional demand. Without it, the
  ///     subscriber returns no demand.
  ///   - receiveCompletion: A closure that is called with the completion.
  public init(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveValue: ((Input) -> Subscribers.Demand)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
  ) {
    box = ClosureSubscriberBox(
      receiveSubscription: receiveSubscription,
      receiveValue: receiveValue,
      receiveCompletion: receiveCompletion
    )
    combineIdentifier = CombineIdentifier()
  }

  /// Passes a subscription to the erased subscriber.
  @inlinable
  public func receive(subscription: any Subscription) {
    box.receive(subscription: subscription)
  }

  /// Passes an element to the erased subscriber.
  ///
  /// - Returns: The demand that the erased subscriber returns.
  @inlinable
  public func receive(_ value: Input) -> Subscribers.Demand {
    box.receive(value)
  }

  /// Passes a completion to the erased subscriber.
  @inlinable
  public func receive(completion: Subscribers.Completion<Failure>) {
    box.receive(completion: completion)
  }

  /// The description of the erased subscriber, or the name of its type.
  public var description: String { box.description }

  /// The mirror of the erased subscriber.
  public var customMirror: Mirror { box.customMirror }

  /// The playground description of the erased subscriber, or its description.
  public var playgroundDescription: Any { box.playgroundDescription }
}

private final class ClosureSubscriberBox<Input, Failure: Error>: ErasedSubscriber<Input, Failure> {

  init(
    receiveSubscription: ((any Subscription) -> Void)?,
    receiveValue: ((Input) -> Subscribers.Demand)?,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  ) {
    super.init(
      deliver: { _, input in receiveValue?(input) ?? .none },
      signal: { _, signal in
        switch signal {
        case .subscription(let subscription): receiveSubscription?(subscription)
        case .completion(let completion): receiveCompletion?(completion)
        }
      }
    )
  }

  override var description: String { "Anonymous AnySubscriber" }

  override var customMirror: Mirror { Mirror(reflecting: description) }

  override var playgroundDescription: Any { description }
}
