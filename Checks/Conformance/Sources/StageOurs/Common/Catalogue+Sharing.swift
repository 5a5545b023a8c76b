import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var sharing: [Entry] {
    (multicasts + shares + sharesOfSeveral).map(\.cancelledAtEnd)
  }

  /// A connection is cancelled by the caller of `connect()`, and not by the subscribers.
  private static var connectable: Set<Law> { [.cancelReachesUpstream, .earlyCancel] }

  private static var multicasts: [Entry] {
    [
      Entry("multicast", subscribers: 3, traits: [.connectable, .closures], exemptFrom: connectable) { stage in
        let multicast = stage.source().multicast {
          stage.note(closure: "createSubject")
          return StageSubject<Int, Fault>()
        }
        stage.present(connectable: multicast)
      },
      Entry("multicast subject", subscribers: 3, traits: .connectable, exemptFrom: connectable) { stage in
        stage.present(connectable: stage.source().multicast(subject: StageSubject<Int, Fault>()))
      },
      Entry("multicast current value", subscribers: 3, traits: .connectable, exemptFrom: connectable) { stage in
        stage.present(connectable: stage.source().multicast(subject: CurrentValueSubject<Int, Fault>(7)))
      },
      Entry("multicast PassthroughSubject", subscribers: 3, traits: .connectable, exemptFrom: connectable) { stage in
        stage.present(connectable: stage.source().multicast(subject: PassthroughSubject<Int, Fault>()))
      },
      // The script sends to the subject as well.
      Entry("multicast shared subject", sources: 2, subscribers: 2, traits: .connectable, exemptFrom: connectable) {
        stage in
        let subject = StageSubject<Int, Fault>()
        let source = stage.source()
        stage.direct(subject)
        stage.present(connectable: source.multicast(subject: subject))
      },
      Entry("makeConnectable", subscribers: 3, traits: [.connectable, .infallible], exemptFrom: connectable) { stage in
        stage.present(connectable: stage.infallibleSource().makeConnectable())
      },
      Entry("delay, multicast", subscribers: 2, traits: [.connectable, .timed], exemptFrom: connectable) { stage in
        stage.present(
          connectable: stage.source()
            .delay(for: 5, scheduler: stage.scheduler)
            .multicast(subject: StageSubject<Int, Fault>())
        )
      },
      Entry("multicast twice", subscribers: 2, traits: .connectable, exemptFrom: connectable) { stage in
        stage.present(
          connectable: stage.source()
            .multicast(subject: StageSubject<Int, Fault>())
            .autoconnect()
            .multicast(subject: CurrentValueSubject<Int, Fault>(7))
        )
      },
    ]
  }

  private static var shares: [Entry] {
    [
      Entry("share", subscribers: 3) { stage in
        stage.present(stage.source().share())
      },
      Entry("autoconnect", subscribers: 3, traits: .closures) { stage in
        let multicast = stage.source().multicast {
          stage.note(closure: "createSubject")
          return StageSubject<Int, Fault>()
        }
        stage.present(multicast.autoconnect())
      },
      Entry("autoconnect current value", subscribers: 3) { stage in
        stage.present(stage.source().multicast(subject: CurrentValueSubject<Int, Fault>(7)).autoconnect())
      },
      Entry("autoconnect makeConnectable", subscribers: 3, traits: .infallible) { stage in
        stage.present(stage.infallibleSource().makeConnectable().autoconnect())
      },
      Entry("autoconnect and connect", subscribers: 3, traits: .connectable, exemptFrom: connectable) { stage in
        let multicast = stage.source().multicast(subject: StageSubject<Int, Fault>())
        stage.present(connectable: ConnectableBeside(publisher: multicast.autoconnect(), connection: multicast.connect))
      },
      Entry("two autoconnects", subscribers: 3) { stage in
        let multicast = stage.source().multicast(subject: StageSubject<Int, Fault>())
        let publishers = [multicast.autoconnect(), multicast.autoconnect()]
        var count = 0
        stage.present(
          Deferred {
            () -> Publishers.Autoconnect<Publishers.Multicast<Source<Int, Fault>, StageSubject<Int, Fault>>> in
            count += 1
            return publishers[count % publishers.count]
          }
        )
      },
      Entry("share twice", subscribers: 3) { stage in
        stage.present(stage.source().share().share())
      },
    ]
  }

  private static var sharesOfSeveral: [Entry] {
    [
      Entry("share, delay", parameters: [0...4], subscribers: 3, traits: .timed, exemptFrom: ending) {
        stage in
        stage.present(stage.source().share().delay(for: stage.interval(0), scheduler: stage.scheduler))
      },
      Entry("delay, share", parameters: [0...4], subscribers: 3, traits: .timed) { stage in
        stage.present(stage.source().delay(for: stage.interval(0), scheduler: stage.scheduler).share())
      },
      Entry("share, receive(on:)", subscribers: 2, traits: .timed, exemptFrom: ending) { stage in
        stage.present(stage.source().share().receive(on: stage.scheduler))
      },
      Entry("share, subscribe(on:)", subscribers: 2, traits: .timed) { stage in
        stage.present(stage.source().share().subscribe(on: stage.scheduler))
      },
      Entry("subscribe(on:), share", subscribers: 2, traits: .timed, exemptFrom: connectable) { stage in
        stage.present(stage.source().subscribe(on: stage.scheduler).share())
      },
      Entry("timeout, share", parameters: [1...4], subscribers: 2, traits: .timed) { stage in
        stage.present(stage.source().timeout(stage.interval(0), scheduler: stage.scheduler).share())
      },
      Entry("share, debounce", parameters: [1...4], subscribers: 2, traits: .timed, exemptFrom: ending) {
        stage in
        stage.hideTraffic()
        stage.present(stage.source().share().debounce(for: stage.interval(0), scheduler: stage.scheduler))
      },
      Entry("share, buffer", parameters: [1...3], subscribers: 3, exemptFrom: batches) { stage in
        stage.present(
          stage.source().share().buffer(size: stage.parameter(0), prefetch: .byRequest, whenFull: .dropOldest)
        )
      },
      Entry("buffer, share", parameters: [1...3], subscribers: 3, exemptFrom: batches) { stage in
        stage.present(
          stage.source().buffer(size: stage.parameter(0), prefetch: .keepFull, whenFull: .dropNewest).share()
        )
      },
      Entry("share, retry", subscribers: 2) { stage in
        stage.present(stage.source().share().retry(1))
      },
    ] + sharesThatThePeerLacks
  }

  /// The peer lacks these operators, or behaves differently in them.
  private static var sharesThatThePeerLacks: [Entry] {
    #if OPENCOMBINE
      []
    #else
      [
        Entry("merge of one share", subscribers: 2, exemptFrom: ending) { stage in
          let shared = stage.source().share()
          stage.present(shared.merge(with: shared.map { $0 + 10 }))
        },
        Entry("combineLatest of one share", subscribers: 2, exemptFrom: ending) { stage in
          let shared = stage.source().share()
          stage.present(shared.combineLatest(shared.map { $0 + 10 }))
        },
        Entry("zip of one share", subscribers: 2, exemptFrom: ending) { stage in
          let shared = stage.source().share()
          stage.present(shared.zip(shared.map { $0 + 10 }))
        },
        Entry("zip of one share, one delayed", subscribers: 2, traits: .timed, exemptFrom: ending) {
          stage in
          let shared = stage.source().share()
          stage.present(shared.zip(shared.delay(for: 10, scheduler: stage.scheduler)))
        },
        Entry("collect by time, share", parameters: [1...4], subscribers: 2, traits: .timed) {
          stage in
          stage.present(stage.source().collect(.byTime(stage.scheduler, stage.interval(0))).share())
        },
      ]
    #endif
  }
}

/// A publisher with a separate closure that connects the publisher from which it is derived.
private struct ConnectableBeside<Base: Publisher>: ConnectablePublisher {

  typealias Output = Base.Output
  typealias Failure = Base.Failure

  let publisher: Base
  let connection: () -> any Cancellable

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    publisher.subscribe(subscriber)
  }

  func connect() -> any Cancellable { connection() }
}
