import CombineCore
@_spi(Companions) import CombineExtras
import Scripts
import SpecModels

extension Catalogue {

  private typealias Extra<Output> = SpecModels.Extra<Int, Output, Fault>

  static func extraElementwise(by provider: Provider) -> [Entry] {
    [
      Entry("prefix while, inclusive", traits: .closures) { stage in
        stage.present(
          choose(
            provider,
            stage.source().prefix(while: stage.isSmall, behavior: .inclusive),
            Extra(stage.source(), .prefixThrough(stage.isSmall)) { $0 as! Int }
          )
        )
      },
      Entry("dropLast", parameters: [0...3]) { stage in
        let count = stage.parameter(0)
        stage.present(
          choose(provider, stage.source().dropLast(count), Extra(stage.source(), .dropLast(count)) { $0 as! Int })
        )
      },
      Entry("suffix", parameters: [0...3]) { stage in
        let count = stage.parameter(0)
        stage.present(
          choose(provider, stage.source().suffix(count), Extra(stage.source(), .suffix(count)) { $0 as! Int })
        )
      },
      Entry("finally", traits: .closures) { stage in
        let action = { [unowned stage] in stage.note(closure: "finally") }
        stage.present(
          choose(provider, stage.source().finally(action), Extra(stage.source(), .finally(action)) { $0 as! Int })
        )
      },
      Entry("Using", traits: .closures) { stage in
        let source = stage.source()
        stage.present(
          choose(
            provider,
            Using {
              stage.note(closure: "acquire")
              return 3
            } publisher: { resource in
              stage.note(closure: "publisher(\(resource))")
              return source
            } release: { [unowned stage] resource in
              stage.note(closure: "release(\(resource))")
            },
            SpecModels.PerSubscription {
              stage.note(closure: "acquire")
              stage.note(closure: "publisher(3)")
              return Extra(source, .finally { [unowned stage] in stage.note(closure: "release(3)") }) { $0 as! Int }
            }
          )
        )
      },
      Entry("collect by step", parameters: [1...3, 1...3]) { stage in
        let (count, step) = (stage.parameter(0), stage.parameter(1))
        stage.present(
          choose(
            provider,
            stage.source().collect(count, every: step),
            Extra(stage.source(), .collect(count, every: step)) { $0 as! [Int] }
          )
        )
      },
      Entry("exhaustMap", sources: 3, traits: .closures, exemptFrom: upstreamStays.union(chained)) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source()]
        func transform(_ value: Int) -> Source<Int, Fault> {
          stage.note(closure: "transform(\(value))")
          return children[value % 2]
        }
        stage.present(
          choose(
            provider,
            outer.exhaustMap(transform),
            SpecModels.PerSubscription {
              var isRunning = false
              // "per subscription, set before the transform".
              let taken = outer.filter { _ in
                if isRunning { return false }
                isRunning = true
                return true
              }
              return SpecModels.FlatMap(taken, maxPublishers: .unlimited) { value in
                transform(value).handleEvents(receiveCompletion: { _ in isRunning = false })
              }
            }
          )
        )
      },
      Entry("repeat", parameters: [0...3]) { stage in
        let count = stage.parameter(0)
        stage.present(choose(provider, stage.source().repeat(count), SpecModels.Repeat(stage.source(), count: count)))
      },
      Entry("retryWhen", sources: 2, traits: .closures) { stage in
        let (source, trigger) = (stage.source(), stage.source())
        stage.present(
          choose(
            provider,
            source.retryWhen { _ in
              stage.note(closure: "errorTrigger")
              return trigger
            },
            SpecModels.RetryWhen(source) { _ in
              stage.note(closure: "errorTrigger")
              return trigger.eraseToAnyPublisher()
            }
          )
        )
      },
      Entry("retryWhen at once", parameters: [0...3], exemptFrom: chained) { stage in
        let source = stage.source()
        let count = stage.parameter(0)
        func trigger(_ errors: AnyPublisher<Fault, Never>) -> AnyPublisher<Int, Fault> {
          errors.prefix(count).map(\.code).setFailureType(to: Fault.self).eraseToAnyPublisher()
        }
        stage.present(choose(provider, source.retryWhen(trigger), SpecModels.RetryWhen(source, trigger)))
      },
      Entry("sample", sources: 2) { stage in
        let (source, sampler) = (stage.source(), stage.source())
        stage.present(choose(provider, source.sample(by: sampler), SpecModels.Sample(source, by: sampler)))
      },
    ]
  }

  // MARK: Subjects and closures

  static func extraSources(by provider: Provider) -> [Entry] {
    [
      Entry("ReplaySubject", parameters: [0...3], subscribers: 3) { stage in
        switch provider {
        case .library:
          let subject = ReplaySubject<Int, Fault>(replaying: stage.parameter(0))
          stage.direct(subject)
          stage.present(subject)
        case .model:
          let subject = SpecModels.Replay<Int, Fault>(stage.parameter(0))
          stage.direct(subject)
          stage.present(subject)
        }
      },
      Entry("ReplaySubject, unlimited", subscribers: 3) { stage in
        switch provider {
        case .library:
          let subject = ReplaySubject<Int, Fault>(replaying: nil)
          stage.direct(subject)
          stage.present(subject)
        case .model:
          let subject = SpecModels.Replay<Int, Fault>(nil)
          stage.direct(subject)
          stage.present(subject)
        }
      },
      Entry("ReplaySubject, overtaking", parameters: [0...3], subscribers: 3) { stage in
        switch provider {
        case .library:
          let subject = ReplaySubject<Int, Fault>(overtakingAfter: stage.parameter(0))
          stage.direct(subject)
          stage.present(subject)
        case .model:
          let subject = SpecModels.Replay<Int, Fault>(stage.parameter(0), overtakes: true)
          stage.direct(subject)
          stage.present(subject)
        }
      },
      Entry("create", traits: .closures) { stage in
        let events = stage.fed()
        stage.present(
          choose(
            provider,
            ExtraPublishers.Create<Int, Fault>(factory: { subscriber in
              events.add({ subscriber.send($0) }, { subscriber.send(completion: $0) })
            }),
            SpecModels.Create<Int, Fault> { sender in events.add(sender.send, sender.complete) }
          )
        )
      },
    ]
  }

  // MARK: Shares

  static func extraSharing(by provider: Provider) -> [Entry] {
    [
      Entry("share replay", parameters: [0...2], subscribers: 3, exemptFrom: [.earlyCancel]) { stage in
        let count = stage.parameter(0)
        stage.present(
          choose(
            provider,
            stage.source().share(replay: count, scope: .whileSubscribed),
            SpecModels.ReferenceCounted(stage.source()) { SpecModels.Replay<Int, Fault>(count) }
          )
        )
      }
      .cancelledAtEnd,
      Entry("share replay, forever", parameters: [0...2], subscribers: 3, exemptFrom: [.earlyCancel]) { stage in
        let count = stage.parameter(0)
        stage.present(
          choose(
            provider,
            stage.source().share(replay: count, scope: .forever),
            stage.source().multicast(subject: SpecModels.Replay<Int, Fault>(count)).autoconnect()
          )
        )
      }
      .cancelledAtEnd,
      Entry("referenceCounted", subscribers: 3, traits: .closures, exemptFrom: [.earlyCancel]) { stage in
        func createSubject() -> StageSubject<Int, Fault> {
          stage.note(closure: "createSubject")
          return StageSubject()
        }
        stage.present(
          choose(
            provider,
            stage.source().multicast(createSubject).referenceCounted(),
            SpecModels.ReferenceCounted(stage.source(), createSubject)
          )
        )
      }
      .cancelledAtEnd,
    ]
  }
}

extension Stage {

  /// Adds a source that sends with the closures of each subscription, and notes when that is cleaned up.
  func fed() -> FedEvents {
    let events = FedEvents(self)
    direct(
      DirectEvents(
        send: { value in for closures in events.closures { closures.send(value) } },
        finish: { for closures in events.closures { closures.complete(.finished) } },
        fail: { code in for closures in events.closures { closures.complete(.failure(Fault(code: code))) } },
        tearDown: { events.closures = [] }
      )
    )
    return events
  }
}

/// The closures with which a source sends.
final class FedEvents {

  private unowned let stage: Stage
  fileprivate var closures: [(send: (Int) -> Void, complete: (Subscribers.Completion<Fault>) -> Void)] = []

  init(_ stage: Stage) { self.stage = stage }

  func add(
    _ send: @escaping (Int) -> Void,
    _ complete: @escaping (Subscribers.Completion<Fault>) -> Void
  ) -> any Cancellable {
    closures.append((send, complete))
    stage.note(closure: "factory")
    return CleanUp { [weak stage] in stage?.note(closure: "clean up") }
  }

  /// It does nothing when it is released.
  private final class CleanUp: Cancellable {

    let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func cancel() { action() }
  }
}
