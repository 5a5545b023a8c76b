#if JetStream && Metrics
  import CombineThreads
  import CombineCore
  import CoreMetrics

  /// The gauges that one subscription sets. They are removed when it ends.
  ///
  /// A gauge keeps its last value, so without the removal a reader would take the lag of long ago for the present one.
  /// A gauge is looked up for each value. So a gauge comes back if another subscription that sets it, too, has removed it.
  ///
  /// `@unchecked Sendable`: the lock guards what changes.
  final class SubscriptionGauges: @unchecked Sendable {

    private let factory: any MetricsFactory
    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var machine = GaugeMachine<[String], [Gauge]>()

    init(_ factory: any MetricsFactory) {
      self.factory = factory
    }

    /// Sets gauges, unless the subscription has ended. It is called by one thread at a time.
    ///
    /// - Parameters:
    ///   - values: The label and the value of each gauge.
    ///   - dimensions: The dimensions of all of them.
    func set(_ values: [(label: String, value: Int64)], _ dimensions: [(String, String)]) {
      guard lock.withLock({ machine.begin() }) else { return }
      let gauges = values.map { label, value in
        let gauge = Gauge(label: label, dimensions: dimensions, factory: factory)
        gauge.record(value)
        return gauge
      }
      let source = dimensions.flatMap { [$0, $1] }
      remove(lock.withLock { machine.finish(gauges, of: source) })
    }

    /// Ends, and removes the gauges.
    func end() {
      remove(lock.withLock { machine.end() })
    }

    /// Ends, and leaves the gauges with their last values.
    func leave() {
      lock.withLock { machine.leave() }
    }

    private func remove(_ gauges: [[Gauge]]) {
      for gauge in gauges.joined() { gauge.destroy() }
    }
  }

  /// Which gauges a subscription has set, by what they describe, and when to remove them.
  ///
  ///     thread of the values      thread that cancels
  ///     begin
  ///                               end: removes what is known
  ///     sets a new gauge
  ///     finish: removes it
  ///
  /// If `end` removed everything, the new gauge would stay for ever.
  struct GaugeMachine<Source: Hashable, Gauges> {

    private var gauges: [Source: Gauges] = [:]
    private var isSetting = false
    private var hasEnded = false

    /// Returns whether gauges may be set. If so, ``finish(_:of:)`` follows.
    mutating func begin() -> Bool {
      isSetting = !hasEnded
      return isSetting
    }

    /// Takes note of gauges that were set.
    ///
    /// - Returns: What must be removed.
    mutating func finish(_ new: Gauges, of source: Source) -> [Gauges] {
      isSetting = false
      gauges[source] = new
      return hasEnded ? takeAll() : []
    }

    /// Ends.
    ///
    /// - Returns: What must be removed now.
    mutating func end() -> [Gauges] {
      hasEnded = true
      return isSetting ? [] : takeAll()
    }

    /// Ends, and removes nothing.
    mutating func leave() {
      hasEnded = true
      gauges = [:]
    }

    private mutating func takeAll() -> [Gauges] {
      defer { gauges = [:] }
      return Array(gauges.values)
    }
  }
#endif
