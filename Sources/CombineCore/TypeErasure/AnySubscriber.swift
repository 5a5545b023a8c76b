/// A subscriber that hides the type of another one, or is made of closures.
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  @usableFromInline
  let box: ErasedSubscriber<Input, Failure>

  /// The identifier of the subscriber inside; for one made of closures an identifier of its own.
  public let combineIdentifier: CombineIdentifier

  /// Hides the type of a subscriber; one that is an `AnySubscriber` already is not wrapped again.
  ///
  /// - Parameter s: The subscriber to hide.
  @inlinable
  public init<S: Subscriber>(_ s: S) where S.Input == Input, S.Failure == Failure {
    if let erased = s as? AnySubscriber<Input, Failure> {
      self = erased
    } else {
      box = SubscriberBox(s)
      combineIdentifier = s.combineIdentifier
    }
  }

  /// Makes a subscriber that sends on what it receives through a subject.
  ///
  /// - Parameter s: The subject; it is not kept alive.
  public init<S: Subject>(_ s: S) where S.Output == Input, S.Failure == Failure {
    self.init(SubjectSubscriber(s))
  }

  /// Makes a subscriber of closures.
  ///
  /// - Parameters:
  ///   - receiveSubscription: Called with a subscription; without it nothing is requested.
  ///   - receiveValue: Called with a value, returns further demand; without it there is none.
  ///   - receiveCompletion: Called with a completion.
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

  /// Passes a subscription on.
  @inlinable
  public func receive(subscription: any Subscription) {
    box.receive(subscription: subscription)
  }

  /// Passes a value on.
  ///
  /// - Returns: The demand that the subscriber inside returns.
  @inlinable
  public func receive(_ value: Input) -> Subscribers.Demand {
    box.receive(value)
  }

  /// Passes a completion on.
  @inlinable
  public func receive(completion: Subscribers.Completion<Failure>) {
    box.receive(completion: completion)
  }

  /// The description of the subscriber inside, or the name of its type.
  public var description: String { box.description }

  /// The mirror of the subscriber inside.
  public var customMirror: Mirror { box.customMirror }

  /// The playground description of the subscriber inside, or its description.
  public var playgroundDescription: Any { box.playgroundDescription }
}

private final class ClosureSubscriberBox<Input, Failure: Error>: ErasedSubscriber<Input, Failure> {

  private let receiveSubscription: ((any Subscription) -> Void)?
  private let receiveValue: ((Input) -> Subscribers.Demand)?
  private let receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  init(
    receiveSubscription: ((any Subscription) -> Void)?,
    receiveValue: ((Input) -> Subscribers.Demand)?,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
  ) {
    self.receiveSubscription = receiveSubscription
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
    super.init(
      deliver: { box, input in
        unsafeDowncast(box, to: ClosureSubscriberBox<Input, Failure>.self).receiveValue?(input) ?? .none
      },
      signal: { box, signal in
        let box = unsafeDowncast(box, to: ClosureSubscriberBox<Input, Failure>.self)
        switch signal {
        case .subscription(let subscription): box.receiveSubscription?(subscription)
        case .completion(let completion): box.receiveCompletion?(completion)
        }
      }
    )
  }

  override var description: String { "Anonymous AnySubscriber" }

  override var customMirror: Mirror { Mirror(reflecting: description) }

  override var playgroundDescription: Any { description }
}
