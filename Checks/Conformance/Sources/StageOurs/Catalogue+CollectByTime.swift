import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  static func collectionsByTime(by provider: Provider) -> [Entry] {
    // One sum of all takes the compiler of Swift 6.2 minutes.
    var entries = collectionsByTime("", by: provider) { $0.scheduler }
    entries += collectionsByTime(" on a coarse scheduler", by: provider) { CoarseScheduler($0.scheduler) }
    entries += collectionsByTime(" on a reversed scheduler", by: provider) { ReversedScheduler($0.scheduler) }
    entries += collectionsByTime(" with timers that go on", by: provider) { $0.schedulerWithoutCancel }
    entries += collectionsByTime(" run at once", by: provider) { $0.immediateScheduler }
    entries += [
      Entry("collect byTime on ImmediateScheduler", exemptFrom: endingByTime) { stage in
        stage.present(stage.source().collected(on: ImmediateScheduler.shared, every: 1, by: provider))
      },
      Entry("collect byTimeOrCount on ImmediateScheduler", parameters: [1...3], exemptFrom: endingByTime) { stage in
        stage.present(
          stage.source().collected(
            on: ImmediateScheduler.shared,
            every: 1,
            orCount: stage.parameter(0),
            by: provider
          )
        )
      },
    ]
    let cancelled: [Entry] = [
      Entry(
        "receive(on:), collect byTime",
        parameters: [1...4],
        traits: .timed,
        exemptFrom: endingByTime
      ) { stage in
        stage.present(
          stage.source()
            .receive(on: stage.scheduler)
            .collected(on: stage.scheduler, every: stage.interval(0), by: provider)
        )
      },
      Entry(
        "collect byTimeOrCount, delay",
        parameters: [1...4, 1...3],
        traits: .timed,
        exemptFrom: endingByTime
      ) { stage in
        stage.present(
          stage.source()
            .collected(on: stage.scheduler, every: stage.interval(0), orCount: stage.parameter(1), by: provider)
            .delay(for: stage.interval(0), scheduler: stage.scheduler)
        )
      },
      Entry(
        "collect byTimeOrCount, buffer",
        parameters: [1...4, 1...3],
        traits: .timed,
        exemptFrom: endingByTime
      ) {
        stage in
        stage.present(
          stage.source()
            .collected(on: stage.scheduler, every: stage.interval(0), orCount: stage.parameter(1), by: provider)
            .buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest)
        )
      },
    ]
    return entries + cancelled.map(\.cancelledAtEnd)
  }

  /// The array collected at a completion is published even after a cancel or without demand (rows
  /// `collect-by-time.completion` and `collect-by-time.cancel`), as with receive(on:). By count, demand is counted in
  /// arrays of full length, and a shorter one at the end of a window counts as none.
  private static var endingByTime: Set<Law> { ending.union([.demand]) }

  private static func collectionsByTime(
    _ suffix: String,
    by provider: Provider,
    _ scheduler: @escaping (Stage) -> some StageScheduler
  ) -> [Entry] {
    [
      Entry("collect byTime\(suffix)", parameters: [1...4], traits: .timed, exemptFrom: endingByTime) { stage in
        stage.scheduler.logsCancellations = true
        stage.present(stage.source().collected(on: scheduler(stage), every: stage.interval(0), by: provider))
      },
      Entry("collect byTimeOrCount\(suffix)", parameters: [1...4, 1...3], traits: .timed, exemptFrom: endingByTime) {
        stage in
        stage.scheduler.logsCancellations = true
        stage.present(
          stage.source().collected(
            on: scheduler(stage),
            every: stage.interval(0),
            orCount: stage.parameter(1),
            options: 3,
            by: provider
          )
        )
      },
    ]
  }
}

extension Publisher {

  fileprivate func collected<S: Scheduler>(
    on scheduler: S,
    every interval: S.SchedulerTimeType.Stride,
    orCount count: Int? = nil,
    options: S.SchedulerOptions? = nil,
    by provider: Catalogue.Provider
  ) -> AnyPublisher<[Output], Failure> {
    switch provider {
    case .library:
      collect(
        count.map { .byTimeOrCount(scheduler, interval, $0) } ?? .byTime(scheduler, interval),
        options: options
      )
      .eraseToAnyPublisher()
    case .model:
      CollectByTimeModel(upstream: self, scheduler: scheduler, interval: interval, count: count, options: options)
        .eraseToAnyPublisher()
    }
  }
}
