import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var timing: [Entry] {
    timing("") { $0.scheduler }
      + timing(" on a coarse scheduler") { CoarseScheduler($0.scheduler) }
      + timing(" on a reversed scheduler") { ReversedScheduler($0.scheduler) }
      + timing(" with timers that go on") { $0.schedulerWithoutCancel }
      // `timeout` traps on such a scheduler, because its timer fires before it is set.
      + timing(" run at once") { $0.immediateScheduler }.filter { !$0.profile.name.hasPrefix("timeout") }
      + timingOnImmediateScheduler + timingOfSeveral
  }

  /// Each operator on one kind of scheduler.
  private static func timing(_ suffix: String, _ scheduler: @escaping (Stage) -> some StageScheduler) -> [Entry] {
    [
      // A model is compared with the traffic of the scheduler, which differs from the peer's.
      Entry("debounce\(suffix)", parameters: [1...4], traits: .timed, exemptFrom: ending) { stage in
        stage.hideTraffic()
        stage.present(stage.source().debounce(for: stage.interval(0), scheduler: scheduler(stage)))
      },
      Entry("throttle latest\(suffix)", parameters: [0...4], traits: .timed, exemptFrom: ending) { stage in
        stage.present(stage.source().throttle(for: stage.interval(0), scheduler: scheduler(stage), latest: true))
      },
      Entry("throttle first\(suffix)", parameters: [0...4], traits: .timed, exemptFrom: ending) { stage in
        stage.present(stage.source().throttle(for: stage.interval(0), scheduler: scheduler(stage), latest: false))
      },
      Entry("delay\(suffix)", parameters: [0...4], traits: .timed, exemptFrom: ending) { stage in
        stage.present(stage.source().delay(for: stage.interval(0), scheduler: scheduler(stage)))
      },
      Entry("delay with tolerance\(suffix)", parameters: [0...4, 0...9], traits: .timed, exemptFrom: ending) { stage in
        stage.present(
          stage.source().delay(
            for: stage.interval(0),
            tolerance: .init(stage.parameter(1)),
            scheduler: scheduler(stage),
            options: 3
          )
        )
      },
      Entry("timeout\(suffix)", parameters: [1...4], traits: .timed) { stage in
        stage.present(stage.source().timeout(stage.interval(0), scheduler: scheduler(stage)))
      },
      Entry("timeout customError\(suffix)", parameters: [1...4], traits: [.timed, .closures]) { stage in
        stage.present(
          stage.source().timeout(stage.interval(0), scheduler: scheduler(stage), options: 3) {
            stage.note(closure: "customError")
            return Fault(code: 9)
          }
        )
      },
      Entry("measureInterval\(suffix)", traits: .timed) { stage in
        stage.present(stage.source().measureInterval(using: scheduler(stage)))
      },
    ]
  }

  /// A cancel stops neither a scheduled completion nor the values scheduled before it: rows `debounce.completion` and
  /// `receive-on.ending`.
  static var ending: Set<Law> { [.nothingAfterCancel] }

  private static var timingOnImmediateScheduler: [Entry] {
    [
      Entry("debounce on ImmediateScheduler", exemptFrom: ending) { stage in
        stage.present(stage.source().debounce(for: 1, scheduler: ImmediateScheduler.shared))
      },
      Entry("throttle latest on ImmediateScheduler", parameters: [0...1], exemptFrom: ending) { stage in
        stage.present(
          stage.source().throttle(for: .init(stage.parameter(0)), scheduler: ImmediateScheduler.shared, latest: true)
        )
      },
      Entry("throttle first on ImmediateScheduler", parameters: [0...1], exemptFrom: ending) { stage in
        stage.present(
          stage.source().throttle(for: .init(stage.parameter(0)), scheduler: ImmediateScheduler.shared, latest: false)
        )
      },
      Entry("delay on ImmediateScheduler") { stage in
        stage.present(stage.source().delay(for: 1, scheduler: ImmediateScheduler.shared))
      },
      Entry("measureInterval on ImmediateScheduler") { stage in
        stage.present(stage.source().measureInterval(using: ImmediateScheduler.shared)) { "\($0.magnitude)" }
      },
    ]
  }

  /// Operators that share one clock.
  private static var timingOfSeveral: [Entry] {
    [
      Entry("delay, timeout", parameters: [0...4, 1...4], traits: .timed) { stage in
        stage.present(
          stage.source()
            .delay(for: stage.interval(0), scheduler: stage.scheduler)
            .timeout(stage.interval(1), scheduler: stage.scheduler)
        )
      },
      Entry("timeout, delay", parameters: [1...4, 0...4], traits: .timed, exemptFrom: ending) { stage in
        stage.present(
          stage.source()
            .timeout(stage.interval(0), scheduler: stage.scheduler)
            .delay(for: stage.interval(1), scheduler: stage.scheduler)
        )
      },
      Entry("delay, measureInterval", parameters: [0...4], traits: .timed, exemptFrom: ending) { stage in
        stage.present(
          stage.source()
            .delay(for: stage.interval(0), scheduler: stage.scheduler)
            .measureInterval(using: stage.scheduler)
        )
      },
      Entry("delay, receive(on:)", parameters: [0...4], traits: .timed, exemptFrom: ending) { stage in
        stage.present(
          stage.source()
            .delay(for: stage.interval(0), scheduler: stage.scheduler)
            .receive(on: stage.scheduler)
        )
      },
      Entry("timeout, retry", parameters: [1...4], traits: .timed) { stage in
        stage.present(
          stage.source()
            .timeout(stage.interval(0), scheduler: stage.scheduler) { Fault(code: 9) }
            .retry(1)
        )
      },
      Entry("timeout, catch", sources: 2, parameters: [1...4], traits: .timed, exemptFrom: ending) { stage in
        let first = stage.source()
        let second = stage.source()
        stage.present(
          first
            .timeout(stage.interval(0), scheduler: stage.scheduler) { Fault(code: 9) }
            .catch { _ in second }
        )
      },
    ].map(\.cancelledAtEnd) + timingInFlatMap
  }

  /// The upstream of flatMap is not cancelled when an inner publisher fails (row `flat-map.failure`).
  private static var childFailures: Set<Law> { [.cancelReachesUpstream, .earlyCancel] }

  /// An inner publisher of switchToLatest that arrives late is accepted even after a failure (row
  /// `switch-to-latest.demand`).
  private static var lateChildren: Set<Law> { ending.union([.nothingAfterCompletion, .release, .timersEnd]) }

  /// Pipelines around operators in which the peer behaves differently. Separate entries compare these differences.
  /// These entries check the laws.
  private static var timingInFlatMap: [Entry] {
    #if OPENCOMBINE
      []
    #else
      [
        Entry(
          "flatMap, timeout",
          sources: 3,
          parameters: [1...4],
          traits: [.timed, .closures],
          exemptFrom: childFailures
        ) {
          stage in
          let outer = stage.source()
          let children = [stage.source(), stage.source()]
          stage.present(
            outer
              .flatMap(maxPublishers: .max(1)) { value in
                stage.note(closure: "transform(\(value))")
                return children[value % children.count]
              }
              .timeout(stage.interval(0), scheduler: stage.scheduler) { Fault(code: 9) }
          )
        },
        Entry(
          "flatMap of timeouts",
          sources: 3,
          parameters: [1...4],
          traits: [.timed, .closures],
          exemptFrom: childFailures
        ) {
          stage in
          let outer = stage.source()
          let children = [stage.source(), stage.source()]
          stage.present(
            outer.flatMap(maxPublishers: .max(1)) { value in
              stage.note(closure: "transform(\(value))")
              return children[value % children.count].timeout(stage.interval(0), scheduler: stage.scheduler)
            }
          )
        },
        Entry("switchToLatest of debounces", sources: 3, parameters: [1...4], traits: .timed, exemptFrom: lateChildren)
        {
          stage in
          let outer = stage.source()
          let children = [stage.source(), stage.source()]
          stage.present(
            outer
              .map { children[$0 % children.count].debounce(for: stage.interval(0), scheduler: stage.scheduler) }
              .switchToLatest()
          )
        },
      ].map(\.cancelledAtEnd)
    #endif
  }
}

extension Stage {

  /// Returns an interval that a script chooses, which is a multiple of the usual step of its clock.
  func interval(_ index: Int) -> VirtualScheduler.SchedulerTimeType.Stride { .init(5 * parameter(index)) }

  /// Leaves the scheduler's traffic out of the log.
  func hideTraffic() {
    scheduler.onTraffic = nil
  }

  /// Logs when timers are cancelled, for operators whose rows say it. It is not used where a timer fires
  /// before its operator has it, because the peer then does not cancel it.
  func logTimers() {
    scheduler.logsCancellations = !scheduler.isImmediate
  }

  /// The scheduler, with timers that cannot be stopped.
  var schedulerWithoutCancel: VirtualScheduler {
    scheduler.tokensWork = false
    return scheduler
  }

  /// The scheduler in a form that runs every action inside the scheduling call.
  var immediateScheduler: VirtualScheduler {
    scheduler.isImmediate = true
    return scheduler
  }
}
