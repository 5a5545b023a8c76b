import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var scheduling: [Entry] {
    scheduling("") { $0.scheduler }
      + scheduling(" on a reversed scheduler") { ReversedScheduler($0.scheduler) }
      + scheduling(" run at once") { $0.immediateScheduler }
      + schedulingOnImmediateScheduler + buffers + schedulingOfSeveral
  }

  /// Each operator on one kind of scheduler.
  private static func scheduling(_ suffix: String, _ scheduler: @escaping (Stage) -> some StageScheduler) -> [Entry] {
    [
      Entry("receive(on:)\(suffix)", traits: .timed, exemptFrom: ending) { stage in
        stage.present(stage.source().receive(on: scheduler(stage)))
      },
      Entry("receive(on:) with options\(suffix)", traits: .timed, exemptFrom: ending) { stage in
        stage.present(stage.source().receive(on: scheduler(stage), options: 3))
      },
      Entry("subscribe(on:)\(suffix)", subscribers: 2, traits: .timed) { stage in
        stage.present(stage.source().subscribe(on: scheduler(stage)))
      },
      Entry("subscribe(on:) with options\(suffix)", traits: .timed) { stage in
        stage.present(stage.source().subscribe(on: scheduler(stage), options: 3))
      },
    ]
  }

  private static var schedulingOnImmediateScheduler: [Entry] {
    [
      Entry("receive(on:) on ImmediateScheduler") { stage in
        stage.present(stage.source().receive(on: ImmediateScheduler.shared))
      },
      Entry("subscribe(on:) on ImmediateScheduler") { stage in
        stage.present(stage.source().subscribe(on: ImmediateScheduler.shared))
      },
    ]
  }

  private static var prefetches: [(name: String, strategy: Publishers.PrefetchStrategy)] {
    [
      ("keepFull", .keepFull), ("byRequest", .byRequest),
    ]
  }

  /// A batch that a buffer has begun is delivered to its end, even if a failure occurs in between (row
  /// `buffer.batch`).
  static var batches: Set<Law> { [.nothingAfterCompletion] }

  private static var buffers: [Entry] {
    prefetches.flatMap { prefetch in
      [
        Entry("buffer \(prefetch.name) dropNewest", parameters: [0...5], exemptFrom: batches) { stage in
          stage.present(
            stage.source().buffer(size: stage.parameter(0), prefetch: prefetch.strategy, whenFull: .dropNewest)
          )
        },
        Entry("buffer \(prefetch.name) dropOldest", parameters: [1...5], exemptFrom: batches) { stage in
          stage.present(
            stage.source().buffer(size: stage.parameter(0), prefetch: prefetch.strategy, whenFull: .dropOldest)
          )
        },
        Entry("buffer \(prefetch.name) customError", parameters: [0...5], traits: .closures, exemptFrom: batches) {
          stage in
          stage.present(
            stage.source().buffer(
              size: stage.parameter(0),
              prefetch: prefetch.strategy,
              whenFull: .customError {
                stage.note(closure: "customError")
                return Fault(code: 9)
              }
            )
          )
        },
      ]
    }
  }

  private static var schedulingOfSeveral: [Entry] {
    (prefetches.flatMap { prefetch in
      [
        Entry("receive(on:), buffer \(prefetch.name)", parameters: [1...3], traits: .timed, exemptFrom: batches) {
          stage in
          stage.present(
            stage.source()
              .receive(on: stage.scheduler)
              .buffer(size: stage.parameter(0), prefetch: prefetch.strategy, whenFull: .dropOldest)
          )
        },
        Entry(
          "buffer \(prefetch.name), receive(on:)",
          parameters: [1...3],
          traits: .timed,
          exemptFrom: batches.union(ending)
        ) {
          stage in
          stage.present(
            stage.source()
              .buffer(size: stage.parameter(0), prefetch: prefetch.strategy, whenFull: .dropNewest)
              .receive(on: stage.scheduler)
          )
        },
        Entry("buffer \(prefetch.name) twice", parameters: [1...3, 1...3], exemptFrom: batches) { stage in
          stage.present(
            stage.source()
              .buffer(size: stage.parameter(0), prefetch: prefetch.strategy, whenFull: .dropOldest)
              .buffer(size: stage.parameter(1), prefetch: .keepFull, whenFull: .customError { Fault(code: 9) })
          )
        },
      ]
    } + [
      Entry("subscribe(on:), receive(on:)", traits: .timed, exemptFrom: ending) { stage in
        stage.present(stage.source().subscribe(on: stage.scheduler).receive(on: stage.scheduler))
      },
      Entry("receive(on:), subscribe(on:)", traits: .timed) { stage in
        stage.present(stage.source().receive(on: stage.scheduler).subscribe(on: stage.scheduler))
      },
      Entry("receive(on:), debounce", parameters: [1...4], traits: .timed, exemptFrom: ending) { stage in
        stage.hideTraffic()
        stage.present(
          stage.source()
            .receive(on: stage.scheduler)
            .debounce(for: stage.interval(0), scheduler: stage.scheduler)
        )
      },
      Entry("throttle, receive(on:)", parameters: [0...4, 0...1], traits: .timed, exemptFrom: ending) {
        stage in
        stage.present(
          stage.source()
            .throttle(for: stage.interval(0), scheduler: stage.scheduler, latest: stage.parameter(1) == 1)
            .receive(on: stage.scheduler)
        )
      },
    ]).map(\.cancelledAtEnd)
  }
}
