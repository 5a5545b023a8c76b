import CombineCore

extension SpecModels {

  /// `window(_:every:)`, `window(for:every:maxCount:scheduler:)` and `collect(for:every:maxCount:scheduler:)`.
  public struct Windows<Upstream: Publisher, Output, Context: Scheduler>: Publisher {

    public typealias Failure = Upstream.Failure
    public typealias Window = Part<Upstream.Output, Failure>
    public typealias Stride = Context.SchedulerTimeType.Stride

    private let upstream: Upstream
    private let make: (any Subscriber<Output, Failure>) -> WindowInner<Upstream.Output, Output, Failure, Context>

    /// Creates windows of a count of elements, as publishers.
    public init(_ upstream: Upstream, _ count: Int, every step: Int)
    where Output == Window, Context == ImmediateScheduler {
      self.upstream = upstream
      let length = Length<Context>(count: count, step: step)
      make = { WindowParts(downstream: $0, name: "Window", length: length) }
    }

    /// Creates windows of a duration, as publishers.
    public init(_ upstream: Upstream, for duration: Stride, every interval: Stride?, maxCount: Int?, scheduler: Context)
    where Output == Window {
      self.upstream = upstream
      let length = Length(count: maxCount, duration: duration, interval: interval, scheduler: scheduler)
      make = { WindowParts(downstream: $0, name: "Window", length: length) }
    }

    /// Creates windows of a duration, as arrays.
    public init(_ upstream: Upstream, for duration: Stride, every interval: Stride?, maxCount: Int?, scheduler: Context)
    where Output == [Upstream.Output] {
      self.upstream = upstream
      let length = Length(count: maxCount, duration: duration, interval: interval, scheduler: scheduler)
      make = { WindowArrays(downstream: $0, name: "CollectWindows", length: length) }
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(make(subscriber))
    }
  }

  /// When windows open and close.
  struct Length<Context: Scheduler> {

    typealias Stride = Context.SchedulerTimeType.Stride

    var count: Int?
    var step: Int?
    var duration: Stride?
    var interval: Stride?
    var scheduler: Context?

    /// After how many intervals a window closes, if the duration is a multiple of the interval. Then the window closes as
    /// another one opens, and has no timer.
    var ticks: Int? {
      guard let duration, let interval else { return duration == nil ? nil : 1 }
      var (ticks, end) = (1, interval)
      while end < duration {
        ticks += 1
        end += interval
      }
      return end == duration ? ticks : nil
    }
  }

  /// What windows as publishers and windows as arrays have in common. A subclass says what opens, gets an element, and
  /// closes.
  class WindowInner<Input, Output, Failure: Error, Context: Scheduler>: Queued<Input, Failure, Output, Failure> {

    /// One window: what its subclass needs, the number of its elements, and its timer.
    final class Window {

      var values: [Input] = []
      var part: Part<Input, Failure>?
      var count = 0
      let tick: Int
      var alarm: Alarm?

      init(tick: Int) { self.tick = tick }
    }

    let length: Length<Context>
    var windows: [Window] = []
    private var index = 0
    private var tick = 0
    private var clock: Alarm?
    private var hasRequested = false

    init(downstream: any Subscriber<Output, Failure>, name: String, length: Length<Context>) {
      self.length = length
      super.init(name: name, downstream: downstream)
    }

    // MARK: What a subclass does

    func open(_ window: Window) {}
    func put(_ input: Input, into window: Window) {}
    func close(_ window: Window) {}
    func closeAll(_ completion: Subscribers.Completion<Failure>) {}

    /// Called after each change. Before, timers are set, but nothing is sent.
    func act() {}

    // MARK: Demand

    /// "The operator requests as many elements as the requested windows hold." By time, "the upstream is asked for
    /// everything".
    override func ask(_ demand: Subscribers.Demand) {
      guard let step = length.step, let count = length.count, demand > .none else { return }
      guard let number = demand.max else { return super.ask(.unlimited) }
      let first = hasRequested ? step : count
      hasRequested = true
      super.ask(.max((number - 1) * step + first))
    }

    // MARK: Upstream

    override func receive(subscription: any Subscription) {
      guard accept(subscription) else { return }
      start()
      guard length.scheduler != nil, upstream != nil else { return }
      // "The first window opens when the upstream sends its subscription."
      openByTime()
      upstream?.request(.unlimited)
    }

    override func receive(_ input: Input) -> Subscribers.Demand {
      if upstream == nil { return .none }
      // "A window is published when its first element arrives."
      if let step = length.step, index % step == 0 { add() }
      index += 1
      var full: [Window] = []
      for window in windows {
        window.count += 1
        put(input, into: window)
        if window.count == length.count { full.append(window) }
      }
      for window in full { remove(window) }
      // "Without an interval the next window opens at that moment, and its time begins then."
      if !full.isEmpty, length.scheduler != nil, length.interval == nil {
        add()
        startClock()
      }
      act()
      return .none
    }

    override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
      stopTimers()
      closeAll(completion)
      windows = []
      act()
    }

    // MARK: Time

    private func openByTime() {
      tick += 1
      if let ticks = length.ticks {
        for window in windows where window.tick + ticks <= tick { remove(window) }
      }
      let window = add()
      if length.ticks == nil, let duration = length.duration, let scheduler = length.scheduler {
        let alarm = Alarm { [weak self] in self?.closeByTime(window) }
        window.alarm = alarm
        alarm.start(after: duration, on: scheduler)
      }
      if clock == nil { startClock() }
      act()
    }

    private func closeByTime(_ window: Window) {
      if upstream == nil { return }
      remove(window)
      act()
    }

    private func startClock() {
      guard let scheduler = length.scheduler, let interval = length.interval ?? length.duration else { return }
      let last = clock
      let next = Alarm { [weak self] in
        guard let self, self.upstream != nil else { return }
        self.openByTime()
      }
      clock = next
      last?.cancel()
      next.start(every: interval, on: scheduler)
    }

    func stopTimers() {
      let alarms = [clock] + windows.map(\.alarm)
      clock = nil
      for window in windows { window.alarm = nil }
      for alarm in alarms { alarm?.cancel() }
    }

    // MARK: Windows

    @discardableResult
    private func add() -> Window {
      let window = Window(tick: tick)
      windows.append(window)
      open(window)
      return window
    }

    private func remove(_ window: Window) {
      windows.removeAll { $0 === window }
      let alarm = window.alarm
      window.alarm = nil
      alarm?.cancel()
      close(window)
    }

    override func didEnd() {
      super.didEnd()
      stopTimers()
    }
  }

  /// "Arrays, each open for a time."
  private final class WindowArrays<Input, Failure: Error, Context: Scheduler>:
    WindowInner<Input, [Input], Failure, Context>
  {

    override func put(_ input: Input, into window: Window) { window.values.append(input) }

    /// "Empty arrays are not published."
    override func close(_ window: Window) {
      if !window.values.isEmpty { keep(window.values) }
    }

    /// "When the upstream finishes, the operator publishes the arrays that have begun. When the upstream fails, it drops
    /// them." "Arrays without demand wait without a limit, and the completion waits for them."
    override func closeAll(_ completion: Subscribers.Completion<Failure>) {
      if case .finished = completion { for window in windows { close(window) } }
      complete(completion)
    }

    override func act() { passOn(drain()) }

    override func didEnd() {
      super.didEnd()
      windows = []
    }
  }

  /// "Publishers, each open for a time" or of consecutive elements.
  private final class WindowParts<Input, Failure: Error, Context: Scheduler>:
    WindowInner<Input, Part<Input, Failure>, Failure, Context>
  {

    /// What is to be sent. A nested call leaves its work to the one that acts.
    private var actions: [() -> Void] = []
    private var isActing = false

    /// After a cancel "no new window opens". The time and the elements of those that do not open are counted all the same.
    override func open(_ window: Window) {
      if isClosed { return }
      let part = Part<Input, Failure>(name: "Window") { [weak self] _ in self?.cancelIfUnused() }
      window.part = part
      actions.append { [self] in passOn(send(part)) }
    }

    override func put(_ input: Input, into window: Window) {
      if let part = window.part { actions.append { part.send(input) } }
    }

    override func close(_ window: Window) { close(window, .finished) }

    private func close(_ window: Window, _ completion: Subscribers.Completion<Failure>) {
      guard let part = window.part else { return }
      actions.append { [self] in
        part.send(completion: completion)
        cancelIfUnused()
      }
    }

    /// "The open windows complete as this publisher does."
    override func closeAll(_ completion: Subscribers.Completion<Failure>) {
      for window in windows { close(window, completion) }
      actions.append { [self] in complete(completion) }
    }

    override func act() {
      if isActing { return }
      isActing = true
      while !actions.isEmpty { actions.removeFirst()() }
      isActing = false
    }

    override func didEnd() { cancelIfUnused() }

    /// "When the subscriber of the windows cancels, windows that are subscribed to go on." "The upstream is cancelled when no
    /// subscriber is left."
    private func cancelIfUnused() {
      if !isClosed || windows.contains(where: { $0.part?.isSubscribed == true }) { return }
      cancelUpstream()
      stopTimers()
      let rest = windows
      windows = []
      for window in rest { window.part?.send(completion: .finished) }
    }
  }
}
