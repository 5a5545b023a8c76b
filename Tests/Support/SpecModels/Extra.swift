import CombineCore

extension SpecModels {

  /// Operators with one upstream, each as a class that says what it does with an event.
  public struct Extra<Input, Output, Failure: Error>: Publisher {

    public enum Kind {

      /// `prefix(while:behavior:)`, the inclusive form. Row `prefix-inclusive.values`.
      case prefixThrough((Input) -> Bool)

      /// All elements but some of the last ones.
      case dropLast(Int)

      /// The last elements.
      case suffix(Int)

      /// Runs a closure after the end.
      case finally(() -> Void)

      /// Arrays of consecutive elements: the length, and the distance of their beginnings.
      case collect(Int, every: Int)
    }

    private let upstream: any Publisher<Input, Failure>
    private let kind: Kind
    private let output: (Any) -> Output

    /// - Parameter output: A closure that casts a value to the kind of values of the operator.
    public init(_ upstream: any Publisher<Input, Failure>, _ kind: Kind, output: @escaping (Any) -> Output) {
      self.upstream = upstream
      self.kind = kind
      self.output = output
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let inner: Queued<Input, Failure, Output, Failure>
      switch kind {
      case .prefixThrough(let predicate):
        inner = PrefixThrough(downstream: subscriber, predicate: predicate, output: output)
      case .dropLast(let count): inner = DropLast(downstream: subscriber, count: count, output: output)
      case .suffix(let count): inner = Suffix(downstream: subscriber, count: count, output: output)
      case .finally(let action): inner = Finally(downstream: subscriber, action: action, output: output)
      case .collect(let count, let step):
        inner = Collect(downstream: subscriber, count: count, step: step, output: output)
      }
      // Some have their subscription before they subscribe to the upstream.
      switch kind {
      case .prefixThrough, .collect: break
      case .dropLast, .suffix, .finally: inner.start()
      }
      if !inner.isClosed { attach(upstream, inner) }
    }

    private func attach<P: Publisher<Input, Failure>>(_ upstream: P, _ inner: Queued<Input, Failure, Output, Failure>) {
      upstream.subscribe(inner)
    }
  }

  private final class PrefixThrough<Input, Output, Failure: Error>: Queued<Input, Failure, Output, Failure> {

    private let predicate: (Input) -> Bool
    private let output: (Any) -> Output
    private var hasLast = false

    init(
      downstream: any Subscriber<Output, Failure>,
      predicate: @escaping (Input) -> Bool,
      output: @escaping (Any) -> Output
    ) {
      self.predicate = predicate
      self.output = output
      super.init(name: "PrefixWhile", downstream: downstream)
    }

    override func receive(_ input: Input) -> Subscribers.Demand {
      if isClosed || isUpstreamOver || hasLast { return .none }
      if predicate(input) {
        let more = send(output(input))
        return hasLast ? .none : more
      }
      hasLast = true
      send(output(input))
      cancelUpstream()
      complete(.finished)
      return .none
    }

    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
      if !hasLast { complete(completion) }
    }
  }

  private final class DropLast<Input, Output, Failure: Error>: Queued<Input, Failure, Output, Failure> {

    private let count: Int
    private let output: (Any) -> Output
    private var last: [Input] = []

    init(downstream: any Subscriber<Output, Failure>, count: Int, output: @escaping (Any) -> Output) {
      self.count = count
      self.output = output
      super.init(name: "DropLast", downstream: downstream)
    }

    override func receive(_ input: Input) -> Subscribers.Demand {
      if isClosed || isUpstreamOver { return .none }
      last.append(input)
      // "The elements that only fill the buffer are requested in addition to the downstream's demand, one for each."
      return last.count > count ? send(output(last.removeFirst())) : .max(1)
    }

    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) { complete(completion) }
  }

  private final class Suffix<Input, Output, Failure: Error>: Queued<Input, Failure, Output, Failure> {

    private let count: Int
    private let output: (Any) -> Output
    private var all: [Input] = []
    private var hasAsked = false

    init(downstream: any Subscriber<Output, Failure>, count: Int, output: @escaping (Any) -> Output) {
      self.count = count
      self.output = output
      super.init(name: "Suffix", downstream: downstream)
    }

    /// "Nothing is requested from the upstream before the downstream has requested something. All elements are then
    /// requested."
    override func ask(_ demand: Subscribers.Demand) {
      if hasAsked { return }
      hasAsked = true
      super.ask(.unlimited)
    }

    override func receive(_ input: Input) -> Subscribers.Demand {
      if !isClosed, !isUpstreamOver, hasUpstream { all.append(input) }
      return .none
    }

    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
      // "A failure is passed on at once, without elements."
      if case .finished = completion {
        let last = all.suffix(count)
        all = []
        for value in last { send(output(value)) }
      }
      complete(completion)
    }
  }

  private final class Finally<Input, Output, Failure: Error>: Queued<Input, Failure, Output, Failure> {

    private var action: (() -> Void)?
    private let output: (Any) -> Output

    init(downstream: any Subscriber<Output, Failure>, action: @escaping () -> Void, output: @escaping (Any) -> Output) {
      self.action = action
      self.output = output
      super.init(name: "Finally", downstream: downstream)
    }

    override func receive(_ input: Input) -> Subscribers.Demand {
      isClosed || isUpstreamOver ? .none : send(output(input))
    }

    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) { complete(completion) }

    /// "After the downstream has received the completion, or after a cancellation has reached the upstream."
    override func didEnd() {
      super.didEnd()
      let action = action
      self.action = nil
      action?()
    }
  }

  private final class Collect<Input, Output, Failure: Error>: Queued<Input, Failure, Output, Failure> {

    private let count: Int
    private let step: Int
    private let output: (Any) -> Output
    private var index = 0
    private var open: [[Input]] = []
    private var askedArrays = 0

    init(downstream: any Subscriber<Output, Failure>, count: Int, step: Int, output: @escaping (Any) -> Output) {
      self.count = count
      self.step = step
      self.output = output
      super.init(name: "CollectWindows", downstream: downstream)
    }

    /// "The operator requests as many elements as the requested arrays need."
    private func elements(for demand: Subscribers.Demand) -> Subscribers.Demand {
      guard let arrays = demand.max else { return .unlimited }
      if arrays == 0 { return .none }
      let isFirst = askedArrays == 0
      askedArrays += arrays
      return .max((isFirst ? count : step) + (arrays - 1) * step)
    }

    override func ask(_ demand: Subscribers.Demand) { super.ask(elements(for: demand)) }

    override func receive(_ input: Input) -> Subscribers.Demand {
      if isClosed || isUpstreamOver || !hasUpstream { return .none }
      if index % step == 0 { open.append([]) }
      index += 1
      for position in open.indices { open[position].append(input) }
      guard let first = open.first, first.count == count else { return .none }
      open.removeFirst()
      return elements(for: send(output(first)))
    }

    /// "When the upstream finishes, the operator publishes the arrays that have begun. When the upstream fails, it drops
    /// them."
    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
      let rest = open
      open = []
      if case .finished = completion { for array in rest { send(output(array)) } }
      complete(completion)
    }
  }
}
