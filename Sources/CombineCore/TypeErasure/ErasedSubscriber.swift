/// A subscriber of any type, on the heap, for code that was compiled without knowledge of that type.
///
/// An element passes through ``deliver``, a function that was made, and so specialized, where the type was known. An
/// overridden method would not be specialized. The method table of a generic class leads to code that looks up every
/// type at run time. That costs more than the rest of a pipeline.
@usableFromInline
class ErasedSubscriber<Input, Failure: Error>: Subscriber {

  // The closures receive this object's address, since a debug build retains an object for each cast of a reference.
  @usableFromInline
  typealias Deliver = (UnsafeRawPointer, Input) -> Subscribers.Demand

  /// An event that occurs at most once.
  @usableFromInline
  enum Signal {
    case subscription(any Subscription)
    case completion(Subscribers.Completion<Failure>)
  }

  @usableFromInline
  final let deliver: Deliver

  @usableFromInline
  final let signal: (UnsafeRawPointer, Signal) -> Void

  @inlinable
  init(
    deliver: @escaping Deliver,
    signal: @escaping (UnsafeRawPointer, Signal) -> Void
  ) {
    self.deliver = deliver
    self.signal = signal
  }

  @inlinable
  @inline(__always)
  final var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  @inlinable
  final func receive(subscription: any Subscription) {
    signal(address, .subscription(subscription))
  }

  #if DEBUG
    // A debug build specializes nothing, so the method table costs nothing there. It takes four calls a stage, the closure takes
    // nine. That matters to an element that passes many erased stages, as a processor predicts some thirty nested returns.
    @usableFromInline
    func receive(_ input: Input) -> Subscribers.Demand {
      deliver(address, input)
    }
  #else
    @inlinable
    final func receive(_ input: Input) -> Subscribers.Demand {
      deliver(address, input)
    }
  #endif

  @inlinable
  final func receive(completion: Subscribers.Completion<Failure>) {
    signal(address, .completion(completion))
  }

  /// The identifier of the erased subscriber.
  @usableFromInline
  var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }

  @usableFromInline
  var description: String { fatalError("ErasedSubscriber is abstract") }

  @usableFromInline
  var customMirror: Mirror { fatalError("ErasedSubscriber is abstract") }

  @usableFromInline
  var playgroundDescription: Any { fatalError("ErasedSubscriber is abstract") }
}

extension ErasedSubscriber: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {}

/// An ``ErasedSubscriber`` around another subscriber, whose identity and description it takes on.
@usableFromInline
final class SubscriberBox<Base: Subscriber>: ErasedSubscriber<Base.Input, Base.Failure> {

  @usableFromInline
  let base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
    super.init(
      deliver: { address, input in
        Unmanaged<SubscriberBox>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.base.receive(input) }
      },
      signal: { address, signal in
        Unmanaged<SubscriberBox>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.pass(signal) }
      }
    )
  }

  #if DEBUG
    @usableFromInline
    override func receive(_ input: Base.Input) -> Subscribers.Demand {
      base.receive(input)
    }
  #endif

  @inlinable
  @inline(__always)
  func pass(_ signal: Signal) {
    switch signal {
    case .subscription(let subscription): base.receive(subscription: subscription)
    case .completion(let completion): base.receive(completion: completion)
    }
  }

  @usableFromInline
  override var combineIdentifier: CombineIdentifier { base.combineIdentifier }

  @usableFromInline
  override var description: String {
    (base as? any CustomStringConvertible)?.description ?? String(describing: type(of: base))
  }

  @usableFromInline
  override var customMirror: Mirror {
    (base as? any CustomReflectable)?.customMirror ?? Mirror(base, children: EmptyCollection())
  }

  @usableFromInline
  override var playgroundDescription: Any {
    (base as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? description
  }
}
