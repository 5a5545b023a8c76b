import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  /// The peer has throttle, but requests from the upstream before the downstream has its subscription, and differs from
  /// there on.
  static func throttles(by provider: Provider) -> [Entry] {
    throttles("", by: provider) { $0.scheduler }
      + throttles(" on a coarse scheduler", by: provider) { CoarseScheduler($0.scheduler) }
      + throttles(" on a reversed scheduler", by: provider) { ReversedScheduler($0.scheduler) }
      + throttles(" run at once", by: provider) { $0.immediateScheduler }
  }

  private static func throttles(
    _ suffix: String,
    by provider: Provider,
    _ scheduler: @escaping (Stage) -> some StageScheduler
  ) -> [Entry] {
    [("latest", true), ("first", false)].map { name, latest in
      Entry("throttle \(name) and its model\(suffix)", parameters: [0...4], traits: .timed, exemptFrom: ending) {
        stage in
        stage.present(
          stage.source().throttled(for: stage.interval(0), scheduler: scheduler(stage), latest: latest, by: provider)
        )
      }
    }
  }
}

extension Publisher {

  fileprivate func throttled<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride,
    scheduler: S,
    latest: Bool,
    by provider: Catalogue.Provider
  ) -> AnyPublisher<Output, Failure> {
    switch provider {
    case .library: throttle(for: interval, scheduler: scheduler, latest: latest).eraseToAnyPublisher()
    case .model:
      ThrottleModel(upstream: self, interval: interval, scheduler: scheduler, latest: latest).eraseToAnyPublisher()
    }
  }
}
