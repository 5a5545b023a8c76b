// What the operators of the reducing family share, which make one result of many elements. An operator is a step; the
// conduits are the same for all of them.

/// A namespace for the steps of the reducing family, and for the rules of those that ask a predicate.
@usableFromInline
enum ReducingSteps {}

/// What one operator of the reducing family does with an element.
@usableFromInline
protocol ReducingStep<Input, Output> {

  associatedtype Input
  associatedtype Output

  /// The errors that the operator's closure throws.
  associatedtype Failure: Error

  /// The result of no element at all; none if the operator then has none.
  var initial: Output? { get }

  /// Takes one more element into account. Called once for each, with no lock held.
  func reduce(_ input: Input, into reduction: some Reduction<Output>) throws(Failure) -> ReducingProgress

  /// What the conduit's mirror shows.
  func reflectedChildren(downstream: Any, result: Output?, status: Any) -> KeyValuePairs<String, Any>
}

/// What a step works on: the result so far.
///
/// An object, and not an `inout` parameter, so that no access to the result lasts while a closure runs, which may send
/// another element.
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

/// The conduit of an operator of the reducing family: asks the upstream for everything, at once, and sends the
/// downstream one result when it has asked for something.
///
/// An element is checked against the state by one load. The two classes differ in the errors of their step.
@usableFromInline
protocol ReducingConduit: DeferredResultConduit, ConnectingConduit, Reduction where Output == Downstream.Input {

  associatedtype Step: ReducingStep<Input, Output>

  var name: StaticString { get }

  var step: Step { get }

  func reduce(_ input: Input) throws(Downstream.Failure) -> ReducingProgress
}

extension ReducingConduit {

  // The downstream may cancel while it is handed the subscription; as in Combine the upstream is asked all the same.
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

  /// Takes the upstream's completion. A failure waits for no demand.
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

    // An upstream sends one value at a time, and no access lasts while a closure or the downstream runs. A request that
    // reads it comes after the last write: both ends of that are under the lock.
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
