import Scripts

// Every file of this folder is compiled twice: OpenCombine's stage has a link to it.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// The stage of one script's run. It holds the sources, the subscribers and the clock, and logs their events.
///
/// Everything happens on one thread.
final class Stage {

  let script: Script
  let trace: Trace
  let scheduler = VirtualScheduler()

  /// The counter of live objects.
  let census = Census()

  /// Descriptions of the broken laws.
  private(set) var violations: [String] = []

  private let exemptions: Set<Law>
  private var isOver = false

  private var sources: [any SourceControl] = []
  private var subscribers: [Int: any SubscriberControl] = [:]
  private var reactions: [Script.Cue: Script.Reaction] = [:]
  private let isTimed: Bool
  private var depth = 0
  private var closureCalls = 0

  /// The numbers of the actions that have not returned, the outermost first; and for each running closure, its action.
  private var actionsUnderWay: [Int] = []
  private var actionCount = 0
  private(set) var actionsInClosures: [Int] = []
  private(set) var actionsInReleases: [Int] = []

  /// A closure that subscribes a new subscriber to the pipeline and adds it to the stage.
  private var attach: ((Int) -> Void)?

  private var kept: [AnyCancellable] = []
  private var isCancelledAtEnd: Bool

  private var connectPipeline: (() -> any Cancellable)?
  private var connections: [any Cancellable] = []

  init(script: Script, entry: Entry, trace: Trace) {
    self.script = script
    self.trace = trace
    exemptions = entry.exemptions
    isCancelledAtEnd = exemptions.contains(.releaseWithoutEnd)
    isTimed = entry.profile.traits.contains(.timed)
    reactions = Dictionary(script.reactions.map { ($0.cue, $0) }) { first, _ in first }
    if isTimed { scheduler.onTraffic = { [unowned self] in add("scheduler: \(describe($0))") } }
  }

  var isLawful: Bool { script.manners == .lawful }

  // MARK: What an entry of the catalogue uses

  func parameter(_ index: Int) -> Int { script.parameters[index] }

  /// Returns a source of integers that can fail. The value is the number in the script.
  func source() -> Source<Int, Fault> { source { $0 } }

  /// Returns a source of a script's integers transformed by `transform`.
  func source<Output, Failure: Error>(
    failure: @escaping (Int) -> Failure,
    _ transform: @escaping (Int) -> Output
  ) -> Source<Output, Failure> {
    let source = Source(number: sources.count, stage: self, failure: failure, transform)
    sources.append(source)
    return source
  }

  func source<Output>(_ transform: @escaping (Int) -> Output) -> Source<Output, Fault> {
    source(failure: Fault.init, transform)
  }

  /// Returns a source that cannot fail.
  func infallibleSource() -> Source<Int, Never> {
    source(failure: { _ in preconditionFailure("an entry with this source has to say that it is infallible") }) { $0 }
  }

  /// Adds an object that receives the script's events directly to the sources.
  func direct(_ events: DirectEvents) {
    sources.append(DirectControl(number: sources.count, stage: self, events: events))
  }

  /// Adds a subject to the sources. It is finished after the run, because it and its subscribers keep each other alive
  /// until then.
  func direct<S: Subject>(_ subject: S) where S.Output == Int, S.Failure == Fault {
    direct(
      DirectEvents(
        send: { subject.send($0) },
        finish: { subject.send(completion: .finished) },
        fail: { subject.send(completion: .failure(Fault(code: $0))) },
        tearDown: { subject.send(completion: .finished) }
      )
    )
  }

  /// Sets the pipeline to which subscribers subscribe. `show` returns the text of an element for the trace.
  func present<P: Publisher>(_ publisher: P, show: @escaping (P.Output) -> String = { "\($0)" }) {
    presentEach { [unowned self] number in publisher.subscribe(recorder(number, show: show)) }
  }

  /// Like ``present(_:show:)``, for a connectable publisher.
  func present<P: ConnectablePublisher>(connectable publisher: P) {
    connecting { publisher.connect() }
    present(publisher)
  }

  /// Sets a pipeline to which subscribers made by `attach` subscribe, instead of the stage's own.
  ///
  /// - Parameters:
  ///   - isLetGo: Whether such a subscriber is cancelled by releasing it.
  ///   - attach: A closure that subscribes to the pipeline, sends the signals to the control, and returns a
  ///     cancellable.
  func present(isLetGo: Bool = false, attach: @escaping (CancellableControl) -> any Cancellable) {
    presentEach { [unowned self] number in self.attach(number, isLetGo: isLetGo, by: attach) }
  }

  /// Sets several pipelines. `attach` selects one by a subscriber's number.
  func presentEach(_ attach: @escaping (Int) -> Void) {
    self.attach = attach
  }

  /// Returns a new subscriber with this number.
  func recorder<Input, Failure: Error>(
    _ number: Int,
    show: @escaping (Input) -> String = { "\($0)" }
  ) -> Recorder<Input, Failure> {
    let recorder = Recorder<Input, Failure>(number: number, stage: self, show: show)
    subscribers[number] = recorder
    return recorder
  }

  /// Like ``present(isLetGo:attach:)``, for one subscriber.
  func attach(_ number: Int, isLetGo: Bool = false, by attach: (CancellableControl) -> any Cancellable) {
    let control = CancellableControl(number: number, stage: self, isLetGo: isLetGo)
    subscribers[number] = control
    control.cancellable = attach(control)
  }

  /// Sets the effect of the script's `connect`.
  func connecting(_ connect: @escaping () -> any Cancellable) {
    connectPipeline = connect
  }

  /// Keeps cancellables until the end of the run.
  func keep(_ cancellables: [AnyCancellable]) {
    kept += cancellables
  }

  /// Makes the run cancel subscribers that have not ended, and cancel again those whose cancel came too early. It is
  /// for a pipeline that keeps itself alive, by its contract, until a completion or a cancel.
  func cancelAtEnd() {
    isCancelledAtEnd = true
  }

  /// Logs a call of the operator's closure.
  func note(closure call: String) {
    add("closure \(call)")
    if let action = currentAction { actionsInClosures.append(action) }
    perform(.closure(count: closureCalls)) { closureCalls += 1 }
    if currentAction != nil { actionsInClosures.removeLast() }
  }

  var isInClosure: Bool { !actionsInClosures.isEmpty }

  /// The innermost action that has not returned.
  var currentAction: Int? { actionsUnderWay.last }

  /// Whether each source has a subscriber, and has sent each subscriber its subscription.
  var isConnected: Bool { sources.allSatisfy(\.isConnected) }

  /// Logs a release. Actions during it count as actions inside a closure, but no operator is processing a value.
  func note(release name: String) {
    add("\(name) is released")
    if let action = currentAction { actionsInReleases.append(action) }
    perform(.closure(count: closureCalls)) { closureCalls += 1 }
    if currentAction != nil { actionsInReleases.removeLast() }
  }

  /// Logs another event.
  func note(_ line: String) {
    add(line)
  }

  // MARK: Playing

  /// Runs all steps. Afterwards the stage holds none of the pipeline's objects.
  func play() {
    for step in script.steps { run(step) }
    // The actions that the last step has scheduled for the current time belong to it.
    if isTimed {
      add("the end")
      deeper { scheduler.runDue() }
    }
    isOver = true
    let haveLeft = subscribers.values.allSatisfy(\.hasLeft)
    for source in sources {
      source.checkAtEnd(
        isCancelDue: haveLeft && !subscribers.isEmpty,
        isCancelEarly: subscribers.values.contains(where: \.isCancelEarly)
      )
    }
    let haveEnded = subscribers.values.allSatisfy(\.hasEnded)
    if scheduler.hasTimers, scheduler.tokensWork, !subscribers.isEmpty, haveEnded { broken(.timersEnd, "one goes on") }
    tearDown()
  }

  private func tearDown() {
    attach = nil
    connectPipeline = nil
    connections = []
    if isCancelledAtEnd {
      // Pending signals arrive, and the actions scheduled by the cancel run.
      scheduler.advance(by: 200)
      for subscriber in subscribers.values where !subscriber.hasEnded || subscriber.isCancelEarly {
        subscriber.cancel()
      }
      scheduler.advance(by: 200)
    }
    for subscriber in subscribers.values { subscriber.tearDown() }
    for source in sources { source.tearDown() }
    kept = []
    subscribers = [:]
    sources = []
    scheduler.dropAll()
  }

  func add(_ line: String) {
    guard !isOver else { return }
    trace.add(depth: depth, isTimed ? "\(scheduler.time.milliseconds): \(line)" : line)
  }

  /// Records a broken law, unless the entry is exempt or the upstream's behaviour is already unlawful.
  func broken(_ law: Law, _ description: @autoclosure () -> String) {
    guard isLawful, !exemptions.contains(law) else { return }
    violations.append("\(law): \(description())")
  }

  /// Runs `body` one level deeper.
  func deeper<R>(_ body: () -> R) -> R {
    depth += 1
    defer { depth -= 1 }
    return body()
  }

  /// Runs the script's actions for this callback, and returns the demand to return.
  @discardableResult
  func perform(_ cue: Script.Cue, counting: () -> Void) -> Script.Amount {
    counting()
    guard !isOver, let reaction = reactions[cue] else { return .none }
    deeper { for action in reaction.actions { run(action) } }
    return reaction.returning
  }

  private func run(_ action: Script.Action) {
    actionCount += 1
    actionsUnderWay.append(actionCount)
    defer { actionsUnderWay.removeLast() }
    switch action {
    case .subscribe(let number):
      guard subscribers[number] == nil, let attach else { return }
      add("subscribe down\(number)")
      deeper { attach(number) }
    case .request(let number, let amount):
      guard let subscriber = subscribers[number] else { return }
      subscriber.request(amount)
    case .cancel(let number):
      guard let subscriber = subscribers[number] else { return }
      subscriber.cancel()
    case .send(let source, let age, let value): control(source)?.send(value, age: age)
    case .finish(let source, let age): control(source)?.finish(age: age)
    case .fail(let source, let age, let code): control(source)?.fail(code, age: age)
    case .greet(let source, let age): control(source)?.greet(age: age)
    case .advance(let milliseconds):
      // The clock is moved only outside of callbacks.
      guard depth == 0 else { return }
      add("the clock moves by \(milliseconds)")
      deeper { scheduler.advance(by: .init(milliseconds)) }
    case .connect:
      guard let connectPipeline else { return }
      add("connect")
      let connection = deeper(connectPipeline)
      connections.append(connection)
    case .disconnect:
      guard let connection = connections.popLast() else { return }
      add("disconnect")
      deeper { connection.cancel() }
    }
  }

  private func control(_ number: Int) -> (any SourceControl)? {
    sources.indices.contains(number) ? sources[number] : nil
  }
}

private func describe(_ traffic: VirtualScheduler.Traffic) -> String {
  func described(_ options: VirtualScheduler.SchedulerOptions?) -> String {
    options.map { " options \($0.number)" } ?? ""
  }
  return switch traffic {
  case .cancelled(let number): "timer \(number) is cancelled"
  case .now: "now"
  case .minimumTolerance: "minimum tolerance"
  case .run(let options): "run\(described(options))"
  case .at(let time, let tolerance, let options): "at \(time) ±\(tolerance)\(described(options))"
  case .every(let time, let interval, let tolerance, let options):
    "at \(time), then every \(interval) ±\(tolerance)\(described(options))"
  }
}

/// A counter of the live objects of one run.
final class Census {

  private(set) var alive: [String: Int] = [:]

  func born(_ name: String) { alive[name, default: 0] += 1 }

  func died(_ name: String) {
    alive[name]! -= 1
    if alive[name] == 0 { alive[name] = nil }
  }
}

/// An object whose release is logged, for example when a closure that captures it is released.
final class Token {

  private let name: String
  private weak var stage: Stage?
  private let census: Census

  init(_ name: String, _ stage: Stage) {
    self.name = name
    self.stage = stage
    census = stage.census
    census.born(name)
  }

  deinit {
    census.died(name)
    stage?.note(release: name)
  }
}

/// The error of the scripts.
struct Fault: Error, Hashable, CustomStringConvertible {
  var code: Int
  var description: String { "fault \(code)" }
}

extension Script.Amount {

  var demand: Subscribers.Demand {
    switch self {
    case .finite(let count): .max(count)
    case .unlimited: .unlimited
    }
  }
}
