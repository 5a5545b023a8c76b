// The code shared by the operators of the reducing family, which make one result from many elements. An operator is a
// step. All of them use the same conduits.

/// A namespace for the steps of the reducing family, and for the rules of those that call a predicate.
@usableFromInline
enum ReducingSteps {}

/// The reaction of one operator of the reducing family to an element.
@usableFromInline
protocol ReducingStep<Input, Output> {

  associatedtype Input
  associatedtype Output

  /// The kind of errors that the operator's closure throws.
  associatedtype Failure: Error

  /// The result without any element, or `nil` if the operator then has none.
  var initial: Output? { get }

  /// Adds one more element to the result. It is called once for each element, outside any lock.
  func reduce(_ input: Input, into reduction: some Reduction<Output>) throws(Failure) -> ReducingProgress

  /// Returns the children of the conduit's mirror.
  func reflectedChildren(downstream: Any, result: Output?, status: Any) -> KeyValuePairs<String, Any>
}

/// The result so far, on which a step works.
///
/// It is an object rather than an `inout` parameter. No access to the result is therefore in progress while a closure
/// runs, which may send another element.
@usableFromInline
protocol Reduction<Output>: AnyObject {

  associatedtype Output

  var result: Output? { get set }
}

/// Whether an operator of the reducing family needs more elements.
@usableFromInline
enum ReducingProgress {
  case unfinished, finished
}

extension ReducingStep {

  @inlinable
  var initial: Output? { nil }

  @usableFromInline
  func reflectedChildren(downstream: Any, result: Output?, status: Any) -> KeyValuePairs<String, Any> {
    ["downstream": downstream, "result": result as Any, "initial": initial as Any, "status": status]
  }
}

// MARK: Conduits

/// The conduit of an operator of the reducing family.
///
/// It requests unlimited demand from the upstream immediately, and sends the downstream one result once the downstream
/// has requested something.
///
/// One atomic load checks the state for each element. The two classes differ in the errors of their step.
@usableFromInline
protocol ReducingConduit: DeferredResultConduit, ConnectingConduit, Reduction where Output == Downstream.Input {

  associatedtype Step: ReducingStep<Input, Output>

  var name: StaticString { get }

  var step: Step { get }

  func reduce(_ input: Input) throws(Downstream.Failure) -> ReducingProgress
}

extension ReducingConduit {

  // The downstream may cancel while it receives the subscription. As in Combine, the conduit requests elements from the
  // upstream nevertheless.
  @inlinable
  func receive(subscription: any Subscription) {
    guard accept(subscription) else { return }
    downstream.receive(subscription: self)
    subscription.request(.unlimited)
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .subscribed else { return .none }
    do throws(Downstream.Failure) {
      if try reduce(input) == .finished { finishEarly() }
    } catch {
      fail(with: error)
    }
    return .none
  }

  @usableFromInline
  func finishEarly() {
    guard let (subscription, isRequested) = complete() else { return }
    subscription.cancel()
    if isRequested, !wasCancelled { sendResult() }
  }

  /// Handles the upstream's completion. A failure does not wait for demand.
  @inlinable
  func receiveEnd(_ completion: Subscribers.Completion<Downstream.Failure>) {
    switch completion {
    case .finished:
      if complete()?.isRequested == true { sendResult() }
    case .failure:
      if disconnect() != nil { downstream.receive(completion: completion) }
    }
  }

  @inlinable
  func sendResult() {
    if let result { _ = downstream.receive(result) }
    if !wasCancelled { downstream.receive(completion: .finished) }
  }

  @usableFromInline
  var description: String { name.description }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    step.reflectedChildren(downstream: downstream, result: result, status: reflectedPhase)
  }
}

extension Conduits {

  /// The conduit of an operator of the reducing family whose closure, if it has one, does not throw.
  @usableFromInline
  final class Reducing<Step: ReducingStep, Downstream: Subscriber>: DeferredResultConduit, ReducingConduit
  where Step.Output == Downstream.Input, Step.Failure == Never {

    @usableFromInline
    typealias Input = Step.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let name: StaticString

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let step: Step

    // An upstream sends one element at a time. No access is in progress while a closure or the downstream runs. A
    // request reads the result after the last write, and the lock orders the two.
    @exclusivity(unchecked)
    @usableFromInline
    var result: Step.Output?

    @inlinable
    init(_ name: StaticString, downstream: Downstream, step: Step) {
      self.name = name
      self.downstream = downstream
      self.step = step
      self.result = step.initial
    }

    @inlinable
    func reduce(_ input: Input) -> ReducingProgress {
      step.reduce(input, into: self)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      receiveEnd(completion)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      if takeRequest(demand) { sendResult() }
    }
  }

  /// The conduit of an operator of the reducing family whose closure may throw.
  @usableFromInline
  final class TryReducing<Failure: Error, Step: ReducingStep, Downstream: Subscriber>: DeferredResultConduit,
    ReducingConduit
  where Step.Output == Downstream.Input, Step.Failure == any Error, Downstream.Failure == any Error {

    @usableFromInline
    typealias Input = Step.Input

    @usableFromInline
    let name: StaticString

    @usableFromInline
    let downstream: Downstream

    @usableFromInline
    let step: Step

    // As in ``Reducing``.
    @exclusivity(unchecked)
    @usableFromInline
    var result: Step.Output?

    @inlinable
    init(_ name: StaticString, downstream: Downstream, step: Step) {
      self.name = name
      self.downstream = downstream
      self.step = step
      self.result = step.initial
    }

    @inlinable
    func reduce(_ input: Input) throws -> ReducingProgress {
      try step.reduce(input, into: self)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      receiveEnd(completion.erasingFailure())
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
      if takeRequest(demand) { sendResult() }
    }
  }
}
