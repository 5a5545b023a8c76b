import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

// `Sink` and `Assign` ignore a cancel before their subscription (rows `sink.states` and `assign.states`). What `sink`
// and `assign` return does not.
private let losesEarlyCancel: Set<Law> = [.earlyCancel]

extension Catalogue {

  static var subscribers: [Entry] {
    sinks + assignments + cancellables
  }

  // MARK: Sinks

  private static var sinks: [Entry] {
    [
      Entry("sink", traits: .closures) { stage in
        let source = stage.source()
        stage.present { control in source.sink(control, stage) }
      },
      Entry("sink let go", subscribers: 2, traits: .closures) { stage in
        let source = stage.source()
        stage.present(isLetGo: true) { control in source.sink(control, stage) }
      },
      Entry("sink receiveValue", traits: [.closures, .infallible]) { stage in
        let source = stage.infallibleSource()
        stage.present { control in
          let token = Token("\(control)'s closure", stage)
          return source.sink { value in
            withExtendedLifetime(token) { control.receive("\(value)") }
          }
        }
      },
      Entry(
        "sink of a sequence",
        sources: 0,
        parameters: [0...5],
        subscribers: 2,
        traits: .closures
      ) { stage in
        let count = stage.parameter(0)
        stage.present { control in (0..<count).publisher.sink(control, stage) }
      },
      Entry(
        "sink of a sequence and a source",
        parameters: [0...3],
        subscribers: 2,
        traits: .closures
      ) { stage in
        let count = stage.parameter(0)
        let source = stage.source()
        stage.present { control in source.prepend(0..<count).sink(control, stage) }
      },
      Entry("sink of a PassthroughSubject", subscribers: 4, traits: .closures) { stage in
        let subject = PassthroughSubject<Int, Fault>()
        stage.direct(subject)
        stage.present { control in subject.sink(control, stage) }
      },
      Entry("sink of a CurrentValueSubject", subscribers: 4, traits: .closures) { stage in
        let subject = CurrentValueSubject<Int, Fault>(-1)
        stage.direct(subject)
        stage.present(isLetGo: true) { control in subject.sink(control, stage) }
      },
      Entry("Sink", parameters: [0...1], traits: .closures, exemptFrom: losesEarlyCancel) { stage in
        let source = stage.source()
        stage.present { control in
          let sink: Subscribers.Sink<Int, Fault> = sink(control, stage)
          source.subscribe(sink)
          return sink
        }
      },
      Entry("Sink of two sources", sources: 2, traits: .closures, exemptFrom: losesEarlyCancel) { stage in
        let sources = [stage.source(), stage.source()]
        stage.present { control in
          let sink: Subscribers.Sink<Int, Fault> = sink(control, stage)
          for source in sources { source.subscribe(sink) }
          return sink
        }
      },
      // The script connects a sink that nobody cancels.
      Entry(
        "Sink erased",
        subscribers: 2,
        traits: [.closures, .connectable],
        exemptFrom: losesEarlyCancel.union([.cancelReachesUpstream])
      ) { stage in
        let source = stage.source()
        stage.connecting {
          source.subscribe(
            AnySubscriber(
              Subscribers.Sink<Int, Fault>(
                receiveCompletion: { stage.note(closure: "completion \($0)") },
                receiveValue: { stage.note(closure: "value \($0)") }
              )
            )
          )
          return AnyCancellable {}
        }
        stage.present { control in source.map(stage.transform).sink(control, stage) }
      },
    ]
  }

  // MARK: Assignments

  private static var assignments: [Entry] {
    [
      Entry("assign", traits: [.closures, .infallible]) { stage in
        let source = stage.infallibleSource()
        stage.present { control in source.assign(to: \.value, on: Target(control, stage)) }
      },
      Entry("assign let go", subscribers: 2, traits: [.closures, .infallible]) { stage in
        let source = stage.infallibleSource()
        stage.present(isLetGo: true) { control in source.assign(to: \.value, on: Target(control, stage)) }
      },
      Entry(
        "assign of a sequence",
        sources: 0,
        parameters: [0...5],
        subscribers: 2,
        traits: .closures
      ) { stage in
        let count = stage.parameter(0)
        stage.present { control in (0..<count).publisher.assign(to: \.value, on: Target(control, stage)) }
      },
      Entry("Assign of two sources", sources: 2, traits: [.closures, .infallible], exemptFrom: losesEarlyCancel) {
        stage in
        let sources = [stage.infallibleSource(), stage.infallibleSource()]
        stage.present { control in
          let assign = Subscribers.Assign(object: Target(control, stage), keyPath: \.value)
          for source in sources { source.subscribe(assign) }
          return assign
        }
      },
    ]
  }

  // MARK: Cancellables

  private static var cancellables: [Entry] {
    [
      Entry("AnyCancellable", sources: 0, parameters: [0...1], subscribers: 2, traits: .closures) { stage in
        let isLetGo = stage.parameter(0) == 1
        stage.present(isLetGo: isLetGo) { control in cancellable("\(control)", stage) }
      },
      Entry("AnyCancellable of another", sources: 0, parameters: [0...1], subscribers: 2, traits: .closures) { stage in
        let isLetGo = stage.parameter(0) == 1
        stage.present(isLetGo: isLetGo) { control in AnyCancellable(AnyCancellable(cancellable("\(control)", stage))) }
      },
      // The script connects to store one more cancellable, and disconnects to cancel it. A subscriber's cancel cancels
      // all of them. A nested cancel, after the store was emptied, cancels nothing.
      Entry(
        "AnyCancellable stored",
        subscribers: 3,
        traits: [.closures, .connectable],
        exemptFrom: [.nothingAfterCancel]
      ) { stage in
        let subject = PassthroughSubject<Int, Fault>()
        stage.direct(subject)
        let store = Store()
        stage.connecting {
          // With more cancellables, the peer could serve them in more orders.
          guard store.cancellables.count < 3 else { return AnyCancellable {} }
          let cancellable = subject.sink(
            receiveCompletion: { stage.note(closure: "completion \($0)") },
            receiveValue: { stage.note(closure: "value \($0)") }
          )
          var set: Set<AnyCancellable> = []
          cancellable.store(in: &set)
          cancellable.store(in: &set)
          stage.note("the set has \(set.count)")
          cancellable.store(in: &store.cancellables)
          return cancellable
        }
        stage.present { control in
          subject.sink(control, stage).store(in: &store.cancellables)
          return AnyCancellable { store.removeAll() }
        }
      },
    ]
  }
}

extension Publisher where Output == Int {

  /// Returns a sink that sends its signals to the control. The release of its closures is logged.
  fileprivate func sink(_ control: CancellableControl, _ stage: Stage) -> AnyCancellable {
    let value = Token("\(control)'s value closure", stage)
    let end = Token("\(control)'s completion closure", stage)
    return sink(
      receiveCompletion: { completion in withExtendedLifetime(end) { control.receive(completion: completion) } },
      receiveValue: { number in withExtendedLifetime(value) { control.receive("\(number)") } }
    )
  }
}

/// Returns the same sink as an instance of the class.
private func sink<Failure>(_ control: CancellableControl, _ stage: Stage) -> Subscribers.Sink<Int, Failure> {
  let value = Token("\(control)'s value closure", stage)
  let end = Token("\(control)'s completion closure", stage)
  return Subscribers.Sink(
    receiveCompletion: { completion in withExtendedLifetime(end) { control.receive(completion: completion) } },
    receiveValue: { number in withExtendedLifetime(value) { control.receive("\(number)") } }
  )
}

private func cancellable(_ name: String, _ stage: Stage) -> AnyCancellable {
  let token = Token("\(name)'s closure", stage)
  return AnyCancellable {
    withExtendedLifetime(token) { stage.note(closure: "\(name) is cancelled") }
  }
}

/// The object to which values are assigned.
private final class Target {

  private let control: CancellableControl
  private let token: Token

  init(_ control: CancellableControl, _ stage: Stage) {
    self.control = control
    token = Token("\(control)'s object", stage)
  }

  var value = 0 {
    didSet { control.receive("\(value)") }
  }
}

private final class Store {

  var cancellables: [AnyCancellable] = []

  func removeAll() {
    let all = cancellables
    cancellables = []
    withExtendedLifetime(all) {}
  }
}
