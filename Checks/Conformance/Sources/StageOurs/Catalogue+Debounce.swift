import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  /// The peer sets a timer for each element. So it is compared without the traffic of the scheduler, and a model with it.
  static func debounces(by provider: Provider) -> [Entry] {
    debounces("", by: provider) { $0.scheduler }
      + debounces(" on a coarse scheduler", by: provider) { CoarseScheduler($0.scheduler) }
      + debounces(" on a reversed scheduler", by: provider) { ReversedScheduler($0.scheduler) }
      + debounces(" with timers that go on", by: provider) { $0.schedulerWithoutCancel }
      + debounces(" run at once", by: provider) { $0.immediateScheduler }
      + debouncesBesideOthers(by: provider)
  }

  /// Where actions of two operators come at the same time, the peer may have another order.
  private static func debouncesBesideOthers(by provider: Provider) -> [Entry] {
    [
      Entry("delay, debounce", parameters: [0...4, 1...4], traits: .timed, exemptFrom: ending) { stage in
        stage.present(
          stage.source()
            .delay(for: stage.interval(0), scheduler: stage.scheduler)
            .debounced(for: stage.interval(1), scheduler: stage.scheduler, by: provider)
        )
      },
      Entry("debounce, throttle", parameters: [1...4, 0...4, 0...1], traits: .timed, exemptFrom: ending) { stage in
        stage.present(
          stage.source()
            .debounced(for: stage.interval(0), scheduler: stage.scheduler, by: provider)
            .throttle(for: stage.interval(1), scheduler: stage.scheduler, latest: stage.parameter(2) == 1)
        )
      },
      Entry("throttle, debounce", parameters: [0...4, 1...4, 0...1], traits: .timed, exemptFrom: ending) { stage in
        stage.present(
          stage.source()
            .throttle(for: stage.interval(0), scheduler: stage.scheduler, latest: stage.parameter(2) == 1)
            .debounced(for: stage.interval(1), scheduler: stage.scheduler, by: provider)
        )
      },
    ].map(\.cancelledAtEnd)
  }

  private static func debounces(
    _ suffix: String,
    by provider: Provider,
    _ scheduler: @escaping (Stage) -> some StageScheduler
  ) -> [Entry] {
    [
      Entry("debounce and its model\(suffix)", parameters: [1...4, 0...1], traits: .timed, exemptFrom: ending) {
        stage in
        let scheduler = scheduler(stage)
        stage.logTimers()
        let options: VirtualScheduler.SchedulerOptions? = stage.parameter(1) == 0 ? nil : 3
        stage.present(
          stage.source().debounced(for: stage.interval(0), scheduler: scheduler, options: options, by: provider)
        )
      }
    ]
  }
}

extension Publisher {

  fileprivate func debounced<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil,
    by provider: Catalogue.Provider
  ) -> AnyPublisher<Output, Failure> {
    switch provider {
    case .library: debounce(for: dueTime, scheduler: scheduler, options: options).eraseToAnyPublisher()
    case .model:
      DebounceModel(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options).eraseToAnyPublisher()
    }
  }
}
