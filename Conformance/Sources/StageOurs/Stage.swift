import Scripts

// Every file of this folder is compiled twice: the files of the same names beside OpenCombine's stage are links to these.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// Plays one script: holds its sources, its subscribers and its clock, and writes down what they see.
///
/// All of it happens on one thread.
final class Stage {

  let script: Script
  let trace: Trace
  let scheduler = VirtualScheduler()

  /// Counts the objects that are alive.
  let census = Census()

  /// The laws that were broken, in words.
  private(set) var violations: [String] = []

  private let exemptions: Set<Law>
  private var isOver = false

  private var sources: [any SourceControl] = []
  private var subscribers: [Int: any SubscriberControl] = [:]
  private var reactions: [Script.Cue: Script.Reaction] = [:]
  private let isTimed: Bool
  private var depth = 0
  private var closureCalls = 0

  /// The actions that have not returned, the outermost first, by number; and for each closure that runs, its action.
  private var actionsUnderWay: [Int] = []
  private var actionCount = 0
  private(set) var actionsInClosures: [Int] = []
  private(set) var actionsInReleases: [Int] = []

  /// Attaches a new subscriber to the pipeline, and gives it to the stage.
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

  /// A source of integers that can fail, the next number being its own.
  func source() -> Source<Int, Fault> { source { $0 } }

  /// A source of what `transform` makes of a script's integers.
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

  /// A source that cannot fail.
  func infallibleSource() -> Source<Int, Never> {
    source(failure: { _ in preconditionFailure("an entry with this source has to say that it is infallible") }) { $0 }
  }

  /// Makes something that takes its events directly one of the sources.
  func direct(_ events: DirectEvents) {
    sources.append(DirectControl(number: sources.count, stage: self, events: events))
  }

  /// Makes a subject one of the sources. When the play is over it is finished, as it and its subscribers keep one
  /// another alive until then.
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

  /// The pipeline that subscribers are attached to. What its elements look like in a trace is up to `show`.
  func present<P: Publisher>(_ publisher: P, show: @escaping (P.Output) -> String = { "\($0)" }) {
    presentEach { [unowned self] number in publisher.subscribe(recorder(number, show: show)) }
  }

  /// As ``present(_:show:)``, of a publisher that can be connected.
  func present<P: ConnectablePublisher>(connectable publisher: P) {
    connecting { publisher.connect() }
    present(publisher)
  }

  /// A pipeline that is not attached to by a subscriber of the stage's own, but by what `attach` makes.
  ///
  /// - Parameters:
  ///   - isLetGo: Whether what was attached is cancelled by letting it go.
  ///   - attach: Attaches something that hands what it gets to the control, and returns what cancels it.
  func present(isLetGo: Bool = false, attach: @escaping (CancellableControl) -> any Cancellable) {
    presentEach { [unowned self] number in self.attach(number, isLetGo: isLetGo, by: attach) }
  }

  /// Several pipelines: `attach` decides by a subscriber's number what to attach it to.
  func presentEach(_ attach: @escaping (Int) -> Void) {
    self.attach = attach
  }

  /// A new subscriber with this number.
  func recorder<Input, Failure: Error>(
    _ number: Int,
    show: @escaping (Input) -> String = { "\($0)" }
  ) -> Recorder<Input, Failure> {
    let recorder = Recorder<Input, Failure>(number: number, stage: self, show: show)
    subscribers[number] = recorder
    return recorder
  }

  /// As ``present(isLetGo:attach:)``, for one subscriber.
  func attach(_ number: Int, isLetGo: Bool = false, by attach: (CancellableControl) -> any Cancellable) {
    let control = CancellableControl(number: number, stage: self, isLetGo: isLetGo)
    subscribers[number] = control
    control.cancellable = attach(control)
  }

  /// What the script's `connect` does.
  func connecting(_ connect: @escaping () -> any Cancellable) {
    connectPipeline = connect
  }

  /// Keeps some cancellables until the play is over.
  func keep(_ cancellables: [AnyCancellable]) {
    kept += cancellables
  }

  /// When the play is over, subscribers that have not ended are cancelled, and again if their cancel came too early: for
  /// a pipeline that without its end or a cancel keeps itself alive, by its contract.
  func cancelAtEnd() {
    isCancelledAtEnd = true
  }

  /// A closure of the operator says that it was called.
  func note(closure call: String) {
    add("closure \(call)")
    if let action = currentAction { actionsInClosures.append(action) }
    perform(.closure(count: closureCalls)) { closureCalls += 1 }
    if currentAction != nil { actionsInClosures.removeLast() }
  }

  var isInClosure: Bool { !actionsInClosures.isEmpty }

  /// The innermost action that has not returned.
  var currentAction: Int? { actionsUnderWay.last }

  /// Whether each source has a subscriber, and each subscriber of one its subscription.
  var isConnected: Bool { sources.allSatisfy(\.isConnected) }

  /// Something is let go of. What is done from there counts as done from a closure, but no operator is at work in it.
  func note(release name: String) {
    add("\(name) is released")
    if let action = currentAction { actionsInReleases.append(action) }
    perform(.closure(count: closureCalls)) { closureCalls += 1 }
    if currentAction != nil { actionsInReleases.removeLast() }
  }

  /// Something else that happens.
  func note(_ line: String) {
    add(line)
  }

  // MARK: Playing

  /// Plays all steps; afterwards nothing of it is held by the stage.
  func play() {
    for step in script.steps { run(step) }
    // What the last step has scheduled for now is part of it.
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
      // What is on its way arrives, and what the cancel has scheduled is done.
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

  /// Says that a law is broken, unless the entry has an exemption or what upstream does is unlawful already.
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

  /// Does what the script wants in this callback, and returns the demand to return.
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
      // The clock is moved from outside only.
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

/// Counts the objects of one play that are alive.
final class Census {

  private(set) var alive: [String: Int] = [:]

  func born(_ name: String) { alive[name, default: 0] += 1 }

  func died(_ name: String) {
    alive[name]! -= 1
    if alive[name] == 0 { alive[name] = nil }
  }
}

/// What somebody holds until it is released: a closure that captures one is seen to go.
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
