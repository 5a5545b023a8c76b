import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var subjects: [Entry] {
    plainSubjects + fedSubjects + operatorsOnSubjects + combinedSubjects + values + published
  }
}

/// A subject of one of the two kinds.
private struct EitherSubject: Publisher {

  typealias Output = Int
  typealias Failure = Fault

  let base: any Subject<Int, Fault>

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Fault {
    base.receive(subscriber: subscriber)
  }
}

/// Returns an entry for each kind of subject.
private func eitherSubject(
  _ name: String,
  sources: Int = 1,
  parameters: [ClosedRange<Int>] = [],
  subscribers: Int = 3,
  traits: Profile.Traits = [],
  exemptFrom exemptions: Set<Law> = [],
  build: @escaping (Stage, EitherSubject) -> Void
) -> [Entry] {
  func entry(_ kind: String, _ make: @escaping () -> any Subject<Int, Fault>) -> Entry {
    Entry(
      name.isEmpty ? kind : "\(kind) \(name)",
      sources: sources,
      parameters: parameters,
      subscribers: subscribers,
      traits: traits,
      exemptFrom: exemptions
    ) { stage in
      let subject = make()
      stage.direct(subject)
      build(stage, EitherSubject(base: subject))
    }
  }
  return [
    entry("PassthroughSubject") { PassthroughSubject() },
    entry("CurrentValueSubject") { CurrentValueSubject(-1) },
  ]
}

/// Returns the same entries for a subject with upstreams. These are cancelled when the subject is deallocated
/// (row `subject.upstreams`), not when its subscribers cancel.
private func fed(
  _ name: String,
  sources: Int = 1,
  parameters: [ClosedRange<Int>] = [],
  subscribers: Int = 3,
  traits: Profile.Traits = [],
  build: @escaping (Stage, EitherSubject) -> Void
) -> [Entry] {
  eitherSubject(
    name.isEmpty ? "fed" : "fed \(name)",
    sources: sources,
    parameters: parameters,
    subscribers: subscribers,
    traits: traits,
    exemptFrom: [.cancelReachesUpstream, .earlyCancel],
    build: build
  )
}

extension Catalogue {

  // MARK: Subjects

  private static var plainSubjects: [Entry] {
    [
      eitherSubject("") { stage, subject in stage.present(subject) },
      eitherSubject("one subscriber", subscribers: 1) { stage, subject in
        stage.present(subject)
      },
      eitherSubject("four subscribers", subscribers: 4) { stage, subject in
        stage.present(subject)
      },
      // The same subject in several forms.
      eitherSubject("erased", subscribers: 4) { stage, subject in
        let erased = subject.eraseToAnyPublisher()
        stage.presentEach { number in
          let recorder: Recorder<Int, Fault> = stage.recorder(number)
          switch number {
          case 0: erased.eraseToAnyPublisher().subscribe(recorder)
          case 1: erased.subscribe(AnySubscriber(recorder))
          case 2: AnyPublisher(erased).receive(subscriber: AnySubscriber(AnySubscriber(recorder)))
          default:
            erased.subscribe(
              AnySubscriber(
                receiveSubscription: { recorder.receive(subscription: $0) },
                receiveValue: { recorder.receive($0) },
                receiveCompletion: { recorder.receive(completion: $0) }
              )
            )
          }
        }
      },
      // Each subscriber subscribes a second time inside `receive(subscription:)`, with a subscriber that requests
      // nothing.
      eitherSubject("subscribed to from inside", subscribers: 2, traits: .closures) { stage, subject in
        let erased = subject.eraseToAnyPublisher()
        stage.presentEach { number in
          let recorder: Recorder<Int, Fault> = stage.recorder(number)
          erased.subscribe(
            AnySubscriber(
              receiveSubscription: { subscription in
                erased.subscribe(
                  AnySubscriber<Int, Fault>(
                    receiveSubscription: { _ in stage.note(closure: "another subscription") },
                    receiveCompletion: { stage.note(closure: "another gets \($0)") }
                  )
                )
                recorder.receive(subscription: subscription)
              },
              receiveValue: { recorder.receive($0) },
              receiveCompletion: { recorder.receive(completion: $0) }
            )
          )
        }
      },
    ].flatMap { $0 }
  }

  // MARK: Subjects with upstreams

  private static var fedSubjects: [Entry] {
    [
      fed("", sources: 2, traits: .connectable) { stage, subject in
        let source = stage.source()
        stage.connecting { source.subscribe(subject.base) }
        stage.present(subject)
      },
      fed("from the start", sources: 3, subscribers: 2) { stage, subject in
        let upstreams = [stage.source(), stage.source()].map { $0.subscribe(subject.base) }
        stage.present(subject)
        stage.keep(upstreams)
      },
      fed("through AnySubscriber", sources: 2, subscribers: 2) { stage, subject in
        stage.source().subscribe(AnySubscriber(subject.base))
        stage.present(subject)
      },
      fed("by operators", sources: 2, traits: [.connectable, .closures]) { stage, subject in
        let source = stage.source()
        stage.connecting { source.map(stage.transform).filter(stage.isEven).subscribe(subject.base) }
        stage.present(subject)
      },
      fed("by a sequence", parameters: [0...4], traits: .connectable) { stage, subject in
        let count = stage.parameter(0)
        stage.connecting { Publishers.Sequence<Range<Int>, Fault>(sequence: 0..<count).subscribe(subject.base) }
        stage.present(subject)
      },
      // Without a conduit in between: the subject receives all signals of the sources, including subscriptions.
      fed("without a bridge", sources: 3, subscribers: 2) { stage, subject in
        for source in [stage.source(), stage.source()] {
          source.subscribe(
            AnySubscriber(
              receiveSubscription: { subject.base.send(subscription: $0) },
              receiveValue: {
                subject.base.send($0)
                return .none
              },
              receiveCompletion: { subject.base.send(completion: $0) }
            )
          )
        }
        stage.present(subject)
      },
      // The completion of the second source releases the subject.
      [
        letGo("PassthroughSubject let go") { PassthroughSubject<Int, Fault>() },
        letGo("CurrentValueSubject let go") { CurrentValueSubject<Int, Fault>(-1) },
      ],
      eitherSubject("chain", sources: 2) { stage, subject in
        let last = PassthroughSubject<Int, Fault>()
        stage.direct(last)
        stage.keep([subject.subscribe(last)])
        stage.present(last)
      },
      eitherSubject("chain to a current value", sources: 2, traits: .connectable) { stage, subject in
        let last = CurrentValueSubject<Int, Fault>(-2)
        stage.direct(last)
        stage.connecting { subject.subscribe(last) }
        stage.presentEach { number in
          if number == 0 {
            subject.subscribe(stage.recorder(number))
          } else {
            last.subscribe(stage.recorder(number))
          }
        }
      },
      eitherSubject("chain of three", sources: 2, parameters: [0...2], traits: .closures) { stage, subject in
        let middle = PassthroughSubject<Int, Fault>()
        let last = CurrentValueSubject<Int, Fault>(-2)
        stage.direct(last)
        stage.keep([
          subject.filter(stage.isEven).subscribe(middle),
          middle.map(stage.transform).subscribe(last),
        ])
        stage.present(last)
      },
      // Both feed one subject, which may receive a value twice inside one send.
      eitherSubject("diamond", subscribers: 2, traits: .closures) { stage, subject in
        let last = PassthroughSubject<Int, Fault>()
        stage.keep([subject.map(stage.transform).subscribe(last), subject.subscribe(last)])
        stage.present(last)
      },
    ].flatMap { $0 }
  }

  private static func letGo<S: Subject<Int, Fault>>(_ name: String, _ make: @escaping () -> S) -> Entry {
    Entry(name, sources: 2, subscribers: 2, exemptFrom: [.cancelReachesUpstream, .earlyCancel]) { stage in
      var subject: S? = make()
      stage.source().subscribe(
        AnySubscriber(receiveSubscription: { [weak subject] in subject?.send(subscription: $0) })
      )
      stage.direct(
        DirectEvents(
          send: { subject?.send($0) },
          finish: { subject = nil },
          fail: { subject?.send(completion: .failure(Fault(code: $0))) },
          tearDown: { subject = nil }
        )
      )
      stage.cancelAtEnd()
      stage.presentEach { number in subject?.subscribe(stage.recorder(number)) }
    }
  }

  // MARK: Operators on subjects

  private static var operatorsOnSubjects: [Entry] {
    [
      eitherSubject("map", traits: .closures) { stage, subject in stage.present(subject.map(stage.transform)) },
      eitherSubject("tryMap", traits: .closures) { stage, subject in stage.present(subject.tryMap(stage.tryTransform))
      },
      eitherSubject("filter", traits: .closures) { stage, subject in stage.present(subject.filter(stage.isEven)) },
      eitherSubject("compactMap", traits: .closures) { stage, subject in
        stage.present(subject.compactMap(stage.half))
      },
      eitherSubject("removeDuplicates") { stage, subject in stage.present(subject.removeDuplicates()) },
      eitherSubject("scan", traits: .closures) { stage, subject in stage.present(subject.scan(0, stage.sum)) },
      eitherSubject("catch", sources: 2, subscribers: 2, traits: .closures) {
        stage,
        subject in
        let other = PassthroughSubject<Int, Fault>()
        stage.direct(other)
        stage.present(
          subject.catch { error in
            stage.note(closure: "catch(\(error))")
            return other
          }
        )
      },
      eitherSubject("retry", parameters: [0...2], subscribers: 2) { stage, subject in
        stage.present(subject.retry(stage.parameter(0)))
      },
      eitherSubject("append itself", subscribers: 2) { stage, subject in
        let erased = subject.eraseToAnyPublisher()
        stage.present(erased.append(erased))
      },
      // Each subscriber subscribes through a different operator.
      eitherSubject("operators side by side", subscribers: 4, traits: .closures) { stage, subject in
        stage.presentEach { number in
          switch number {
          case 0: subject.map(stage.transform).subscribe(stage.recorder(number))
          case 1: subject.filter(stage.isEven).subscribe(stage.recorder(number))
          case 2: subject.tryFilter(stage.tryIsEven).subscribe(stage.recorder(number))
          default:
            stage.attach(number) { control in
              subject.sink(
                receiveCompletion: { control.receive(completion: $0) },
                receiveValue: { control.receive("\($0)") }
              )
            }
          }
        }
      },
    ].flatMap { $0 }
  }

  private static var combinedSubjects: [Entry] {
    var entries = [
      eitherSubject("flatMap", sources: 3, parameters: [0...2], subscribers: 1, traits: .closures) { stage, subject in
        let children = (0..<2).map { _ in PassthroughSubject<Int, Fault>() }
        for child in children { stage.direct(child) }
        let limit = stage.parameter(0)
        stage.present(
          subject.flatMap(maxPublishers: limit == 0 ? .unlimited : .max(limit)) { value in
            stage.note(closure: "transform(\(value))")
            return children[value & 1]
          }
        )
      },
      eitherSubject("map and switchToLatest", sources: 3, subscribers: 2, traits: .closures) { stage, subject in
        let children = (0..<2).map { _ in CurrentValueSubject<Int, Fault>(-2) }
        for child in children { stage.direct(child) }
        stage.present(
          subject.map { value -> CurrentValueSubject<Int, Fault> in
            stage.note(closure: "transform(\(value))")
            return children[value & 1]
          }
          .switchToLatest()
        )
      },
    ]
    #if !OPENCOMBINE
      // The peer lacks merge and combineLatest. Its zip requests nothing, at which a subject traps. Differences between
      // flatMaps are compared with sources that a script controls.
      entries += [
        eitherSubject("flatMap over itself", parameters: [0...2], subscribers: 1, traits: .closures) { stage, subject in
          let limit = stage.parameter(0)
          let erased = subject.eraseToAnyPublisher()
          stage.present(
            erased.flatMap(maxPublishers: limit == 0 ? .unlimited : .max(limit)) { value in
              stage.note(closure: "transform(\(value))")
              return erased.map { $0 + 100 }
            }
          )
        },
        eitherSubject("zip", sources: 2) { stage, subject in
          let other = PassthroughSubject<Int, Fault>()
          stage.direct(other)
          stage.present(subject.zip(other)) { "\($0)" }
        },
        eitherSubject("zip with itself") { stage, subject in
          let erased = subject.eraseToAnyPublisher()
          stage.present(erased.zip(erased.map { $0 + 100 })) { "\($0)" }
        },
        eitherSubject("merge", sources: 3) { stage, subject in
          let others = [PassthroughSubject<Int, Fault>(), PassthroughSubject<Int, Fault>()]
          for other in others { stage.direct(other) }
          stage.present(subject.merge(with: others[0], others[1]))
        },
        eitherSubject("merge with itself", traits: .closures) { stage, subject in
          let erased = subject.eraseToAnyPublisher()
          stage.present(erased.merge(with: erased.map(stage.transform)))
        },
        eitherSubject("combineLatest", sources: 2) { stage, subject in
          let other = CurrentValueSubject<Int, Fault>(-2)
          stage.direct(other)
          stage.present(subject.combineLatest(other)) { "\($0)" }
        },
        eitherSubject("combineLatest with itself", traits: .closures) { stage, subject in
          let erased = subject.eraseToAnyPublisher()
          stage.present(erased.combineLatest(erased.map(stage.transform))) { "\($0)" }
        },
      ]
    #endif
    return entries.flatMap { $0 }
  }

  // MARK: Current values

  private static var values: [Entry] {
    [
      // The second source sets the value. A subscriber that receives a value also reads it.
      Entry("CurrentValueSubject.value", sources: 2, subscribers: 2, traits: .closures) { stage in
        let subject = CurrentValueSubject<Int, Fault>(-1)
        stage.direct(subject)
        stage.direct(
          DirectEvents(send: {
            subject.value = $0
            stage.note("the value is \(subject.value)")
          })
        )
        stage.present(
          subject.map { value -> Int in
            stage.note(closure: "\(value), the value is \(subject.value)")
            return value
          }
        )
      },
      Entry("CurrentValueSubject.value one subscriber", sources: 2) { stage in
        let subject = CurrentValueSubject<Int, Fault>(-1)
        stage.direct(subject)
        stage.direct(
          DirectEvents(
            send: {
              subject.value = $0
              stage.note("the value is \(subject.value)")
            },
            finish: { subject.value += 1 },
            fail: { _ in stage.note("the value is \(subject.value)") }
          )
        )
        stage.present(subject) { "\($0), the value is \(subject.value)" }
      },
    ]
  }

  // MARK: Published properties

  private static var published: [Entry] {
    [
      Entry("Published", subscribers: 3, traits: .infallible) { stage in
        let model = Model(stage)
        stage.direct(DirectEvents(send: { model.first = $0 }))
        stage.cancelAtEnd()
        stage.present(model.$first) { "\($0), the property is \(model.first)" }
      },
      Entry("Published one subscriber", traits: .infallible) { stage in
        let model = Model(stage)
        stage.direct(DirectEvents(send: { model.first = $0 }, finish: { model.first += 1 }))
        stage.cancelAtEnd()
        stage.present(model.$first) { "\($0), the property is \(model.first)" }
      },
      Entry("Published and objectWillChange", sources: 2, subscribers: 4, traits: .infallible, exemptFrom: [.demand]) {
        stage in
        let model = Model(stage)
        stage.direct(DirectEvents(send: { model.first = $0 }))
        stage.direct(DirectEvents(send: { model.second = $0 }))
        stage.cancelAtEnd()
        stage.presentEach { number in
          switch number {
          case 0: model.objectWillChange.subscribe(stage.recorder(number) { _ in "\(model.first), \(model.second)" })
          case 1: model.$first.subscribe(stage.recorder(number))
          case 2: model.$second.map { $0 + 100 }.subscribe(stage.recorder(number))
          default:
            stage.attach(number) { control in
              model.objectWillChange.sink { _ in control.receive("a change") }
            }
          }
        }
      },
      // The completion of the second source releases the object.
      Entry(
        "assign to Published",
        sources: 2,
        subscribers: 3,
        traits: [.infallible, .connectable],
        exemptFrom: [.cancelReachesUpstream, .earlyCancel]
      ) { stage in
        var model: Model? = Model(stage)
        let source = stage.infallibleSource()
        stage.direct(
          DirectEvents(send: { model?.first = $0 }, finish: { model = nil }, tearDown: { model = nil })
        )
        stage.cancelAtEnd()
        stage.connecting {
          // The object must live until the end of the assignment. Otherwise its lifetime depends on the compiler.
          withExtendedLifetime(model) { if let model { source.assign(to: &model.$first) } }
          return AnyCancellable {}
        }
        stage.presentEach { number in
          model?.$first.subscribe(stage.recorder(number) { "\($0), the property is \(model?.first ?? -9)" })
        }
      },
      Entry("assign Published to Published", sources: 2, subscribers: 2, traits: [.infallible]) { stage in
        let model = Model(stage)
        stage.direct(DirectEvents(send: { model.first = $0 }))
        stage.direct(DirectEvents(send: { model.second = $0 }))
        model.$first.map { $0 + 100 }.assign(to: &model.$second)
        stage.cancelAtEnd()
        stage.presentEach { number in
          if number == 0 {
            model.$second.subscribe(stage.recorder(number) { "\($0), the property is \(model.second)" })
          } else {
            model.$first.subscribe(stage.recorder(number))
          }
        }
      },
      Entry("ObservableObjectPublisher", subscribers: 3, traits: .infallible, exemptFrom: [.demand]) { stage in
        let publisher = ObservableObjectPublisher()
        stage.direct(DirectEvents(send: { _ in publisher.send() }))
        stage.cancelAtEnd()
        stage.present(publisher)
      },
      Entry(
        "ObservableObjectPublisher one subscriber",
        traits: .infallible,
        exemptFrom: [.demand]
      ) { stage in
        let publisher = ObservableObjectPublisher()
        stage.direct(DirectEvents(send: { _ in publisher.send() }))
        stage.cancelAtEnd()
        stage.present(publisher)
      },
    ]
  }
}

private final class Model: ObservableObject {

  @Published var first = -1
  @Published var second = -1

  private let token: Token

  init(_ stage: Stage) {
    token = Token("model", stage)
  }
}
