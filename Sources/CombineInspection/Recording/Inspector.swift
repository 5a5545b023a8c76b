import CombineThreads
import CombineCore
import Synchronization

/// The one record of the process.
///
/// Descriptions of values are made, and objects are released, with the lock free, because both run users' code.
///
/// `@unchecked Sendable`: the lock guards the state.
@usableFromInline
final class Inspector: @unchecked Sendable {

  static let shared = Inspector()

  private let lock = Lock()

  @exclusivity(unchecked)  // Only with the lock held.
  private var state = State()

  private struct State {

    var options = Inspection.Options()

    /// Whether events are recorded.
    var isRecording = false

    /// The number of checks for leaks that are running.
    var checkCount = 0

    var epoch = ContinuousClock.now

    /// The subscriptions that may be alive.
    var stages: [Int: Stage] = [:]

    /// The names and links of all stages of the timeline.
    var tracks: [Timeline.Track] = []

    var lastID = 0
    var lastEvent = 0
    var ring = EventRing(capacity: 0)
    var failures: [PassingFailure] = []

    /// The threads that have made or received recorded events, with small numbers in the order in which they came.
    var threads: [UInt: ThreadStack] = [:]

    /// When so many stages are known, those whose objects are gone are looked for.
    var sweepCount = 1000

    /// When so many tracks are known, those without an event are looked for.
    var trackSweepCount = 1000

    var isOn: Bool { isRecording || checkCount > 0 }
    var followsEverything: Bool { isRecording && options.followsEverything || checkCount > 0 }

    /// What this thread does.
    mutating func thread() -> ThreadStack {
      let id = Platform.currentThread
      if let stack = threads[id] { return stack }
      let stack = ThreadStack(number: threads.count + 1)
      threads[id] = stack
      return stack
    }
  }

  // MARK: On and off

  func start(_ options: Inspection.Options) {
    let old = lock.withLock {
      let old = (state.ring, state.tracks, state.failures, state.options)
      state.options = options
      state.isRecording = true
      state.epoch = .now
      state.ring = EventRing(capacity: options.eventCapacity)
      state.tracks = state.stages.values.sorted { $0.id < $1.id }.map(Timeline.Track.init)
      state.failures = []
      return old
    }
    _ = old
    apply()
  }

  func stop() {
    lock.withLock { state.isRecording = false }
    apply()
  }

  func beginCheck() {
    lock.withLock { state.checkCount += 1 }
    apply()
  }

  func endCheck() {
    lock.withLock { state.checkCount -= 1 }
    apply()
  }

  /// Switches the follower on or off. Two calls at once leave what the later state says, because each reads it last.
  private func apply() {
    let (isOn, follows) = lock.withLock { (state.isOn, state.followsEverything) }
    Inspection.isOn.store(isOn, ordering: .releasing)
    if follows { Follower.shared.enable() } else { Follower.shared.disable() }
  }

  /// What this thread does.
  var thread: ThreadStack { lock.withLock { state.thread() } }

  private func describe(_ value: Any) -> String {
    let (options, isRecording) = lock.withLock { (state.options, state.isRecording) }
    return isRecording ? options.describe(value) : ""
  }

  // MARK: Events

  /// Records a subscription that is about to be made.
  ///
  /// - Parameter recorder: The object that records the events, if that is not the follower.
  func addStage(
    name: String,
    origin: Origin,
    subscriber: any Subscriber,
    recorder: AnyObject? = nil
  ) -> Stage {
    let (id, stack, isSweepDue) = lock.withLock {
      state.lastID += 1
      return (state.lastID, state.thread(), state.stages.count >= state.sweepCount)
    }
    let (enclosing, startedBy) = (stack.subscribed?.id, stack.delivered?.stage.id)
    let stage = Stage(
      id: id,
      name: name,
      origin: origin,
      subscriber: subscriber,
      thread: stack.number,
      scope: LeakScope.innermost,
      recorder: recorder,
      enclosing: enclosing,
      startedBy: enclosing == nil ? startedBy : nil
    )
    lock.withLock {
      state.stages[id] = stage
      record(.subscribed, stage, stack)
      if state.isRecording { addTrack(of: stage) }
    }
    if isSweepDue { sweep() }
    return stage
  }

  /// Adds a track, and drops those whose events are dropped, so that there are about as many as events at most.
  private func addTrack(of stage: Stage) {
    state.tracks.append(Timeline.Track(stage))
    guard state.tracks.count > state.trackSweepCount else { return }
    let shown = Set(state.ring.all.map(\.track))
    state.tracks.removeAll { !shown.contains($0.id) && state.stages[$0.id] == nil }
    state.trackSweepCount = max(1000, state.tracks.count * 2)
  }

  func subscribing(_ stage: Stage, _ body: () -> Void) {
    let stack = thread
    stack.push(.subscribing(stage))
    body()
    stack.pop()
  }

  /// Names a stage after the publisher that a type eraser contains.
  func rename(_ stage: Stage, _ name: String) {
    lock.withLock {
      stage.name = name
      if let index = state.tracks.lastIndex(where: { $0.id == stage.id }) { state.tracks[index].name = name }
    }
  }

  func setSubscription(_ subscription: any Subscription, of stage: Stage) {
    let id = subscription.combineIdentifier
    lock.withLock { stage.setSubscription(subscription, id) }
  }

  func add(_ demand: Subscribers.Demand, to stage: Stage) {
    lock.withLock { request(demand, stage, state.thread()) }
  }

  private func request(_ demand: Subscribers.Demand, _ stage: Stage, _ thread: ThreadStack) {
    guard demand != .none, !stage.hasEnded else { return }
    stage.demand += demand
    record(.requested(demand.max, outstanding: stage.demand.max), stage, thread)
  }

  /// Records that a delivery begins. ``didDeliver(_:_:)`` follows on the same thread.
  ///
  /// - Parameter text: A closure that describes the value. Its parameter is the closure of the options.
  func willDeliver(_ stage: Stage, _ text: (_ describe: (Any) -> String) -> String) {
    let (stack, describe, length) = lock.withLock {
      (state.thread(), state.isRecording ? state.options.describe : nil, state.options.descriptionLength)
    }
    var value = describe.map { text($0) }
    if let long = value, long.utf8.count > length { value = String(long.prefix(length)) }
    let cause = stack.delivered?.event
    let event = lock.withLock {
      if stage.demand > 0 { stage.demand -= 1 }
      stage.valueCount += 1
      stage.lastValue = value
      return record(.value(value ?? "", outstanding: stage.demand.max), stage, stack, cause: cause)
    }
    stack.push(.delivering(stage, event: event))
  }

  func didDeliver(_ stage: Stage, _ demand: Subscribers.Demand) {
    lock.withLock {
      let stack = state.thread()
      guard case .delivering(_, let event) = stack.last else { return }
      stack.pop()
      if let event { record(.returned(from: event), stage, stack) }
      request(demand, stage, stack)
    }
  }

  /// Records a completion, and runs its delivery.
  func completing<Failure>(_ stage: Stage, _ completion: Subscribers.Completion<Failure>, _ body: () -> Void) {
    let isFailing = willComplete(stage, completion)
    body()
    if isFailing { thread.pop() }
  }

  /// Records a completion.
  ///
  /// - Returns: Whether it is a failure. Then the caller pops the thread's stack after the delivery.
  func willComplete<Failure>(_ stage: Stage, _ completion: Subscribers.Completion<Failure>) -> Bool {
    guard case .failure(let error) = completion else {
      end(stage, .finished)
      return false
    }
    let stack = thread
    let text = describe(error)
    end(stage, .failed(text))
    let outer = stack.failure
    let number = lock.withLock { () -> Int in
      let step = (stage.name, stage.origin)
      if let outer, let index = state.failures.lastIndex(where: { $0.id == outer }) {
        state.failures[index].steps.append(step)
        state.failures[index].error = text
        return outer
      }
      state.lastEvent &+= 1
      guard state.isRecording else { return state.lastEvent }
      state.failures.append(PassingFailure(id: state.lastEvent, error: text, steps: [step]))
      if state.failures.count > 100 { state.failures.removeFirst() }
      return state.lastEvent
    }
    stack.push(.failing(stage, failure: number))
    return true
  }

  /// Records the end of a subscription.
  func end(_ stage: Stage, _ kind: Timeline.Event.Kind) {
    let removed = lock.withLock { () -> Stage? in
      guard !stage.hasEnded else { return nil }
      stage.hasEnded = true
      record(kind, stage, state.thread())
      return state.stages.removeValue(forKey: stage.id)
    }
    if removed != nil { Follower.shared.forget(stage) }
  }

  /// - Returns: The number of the event, if events are recorded.
  @discardableResult
  private func record(_ kind: Timeline.Event.Kind, _ stage: Stage, _ thread: ThreadStack, cause: Int? = nil) -> Int? {
    stage.thread = thread.number
    guard state.isRecording else { return nil }
    state.lastEvent &+= 1
    state.ring.append(
      Timeline.Event(
        number: state.lastEvent,
        time: .now - state.epoch,
        thread: thread.number,
        track: stage.id,
        kind: kind,
        cause: cause
      )
    )
    return state.lastEvent
  }

  // MARK: Reading

  var failures: [RecordedFailure] { lock.withLock { state.failures }.map(\.recorded) }

  func timeline() -> Timeline {
    sweep()
    return lock.withLock {
      Timeline(
        tracks: state.tracks,
        events: state.ring.all,
        droppedEventCount: state.ring.droppedCount,
        duration: .now - state.epoch
      )
    }
  }

  /// Ends the subscriptions whose objects are gone, which nobody has reported.
  private func sweep() {
    var held: [AnyObject] = []
    let gone = lock.withLock { () -> [Stage] in
      defer { state.sweepCount = max(1000, state.stages.count * 2) }
      return state.stages.values.filter { stage in
        let isSubscriberGone = stage.subscriberObject.isGone(holding: &held)
        return stage.upstreamEnd.isGone(holding: &held) || isSubscriberGone
      }
    }
    for stage in gone { end(stage, .released) }
    withExtendedLifetime(held) {}
  }

  /// The stages that are alive, in their order.
  func livingStages() -> [Stage] {
    sweep()
    return lock.withLock { state.stages.values.sorted { $0.id < $1.id } }
  }

  /// - Parameter waits: Whether places are looked up now, if they are not known.
  func living(waitingForPlaces waits: Bool) -> [LivingSubscription] {
    let stages = livingStages()
    let now = ContinuousClock.now
    let links = links(of: stages)
    // A place may be looked up in the program's debug information, so this comes before the lock.
    let places = stages.map(waits ? \.origin.place : \.origin.knownPlace)
    return lock.withLock {
      zip(stages, places).map { stage, place in
        LivingSubscription(
          id: stage.id,
          name: stage.name,
          isNamed: stage.origin.isWritten,
          subscriber: stage.subscriber,
          place: place,
          age: now - stage.created,
          demand: stage.demand,
          valueCount: stage.valueCount,
          lastValue: stage.lastValue,
          thread: "\(stage.thread)",
          downstream: links[stage.id] ?? [],
          startedBy: stage.startedBy
        )
      }
    }
  }

  /// For each stage, the stages into which its values flow.
  ///
  /// One stage flows into another if it was subscribed during the subscription of that one, or if the subscriber of the
  /// one is the subscription of the other.
  func links(of stages: [Stage]) -> [Int: [Int]] {
    lock.withLock {
      let byID = Dictionary(uniqueKeysWithValues: stages.map { ($0.id, $0) })
      var bySubscription: [ObjectIdentifier: [Int]] = [:]
      for stage in stages {
        if let id = stage.upstreamEnd.id { bySubscription[id, default: []].append(stage.id) }
      }
      var links: [Int: [Int]] = [:]
      for stage in stages {
        var targets: [Int] = []
        if let id = stage.subscriberObject.id { targets = bySubscription[id] ?? [] }
        // Stateless operators pass the subscription on. The values reach the last of several stages through the others.
        let throughOthers = Set(targets.compactMap { byID[$0]?.enclosing })
        targets.removeAll(where: throughOthers.contains)
        if targets.isEmpty, let enclosing = stage.enclosing, byID[enclosing] != nil { targets = [enclosing] }
        links[stage.id] = targets.filter { $0 != stage.id }
      }
      return links
    }
  }

  /// What a check for leaks says about a stage.
  func report(of stage: Stage) -> (name: String, valueCount: Int, demand: Subscribers.Demand) {
    lock.withLock { (stage.name, stage.valueCount, stage.demand) }
  }
}
