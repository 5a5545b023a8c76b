import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var mixing: [Entry] { flatMapping + switching + concatenating + mixtures }

  // MARK: flatMap

  /// One inner publisher at a time. With several, the peer requests and cancels in the order of a dictionary. Those
  /// cases run against a model (`Catalogue+FlatMap.swift`).
  private static var flatMapping: [Entry] {
    [
      Entry("flatMap one at a time", sources: 3, traits: .closures) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source()]
        stage.present(
          outer.flatMap(maxPublishers: .max(1)) { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
        )
      },
      Entry("flatMap infallible", sources: 3, traits: [.closures, .infallible]) { stage in
        let outer = stage.infallibleSource()
        let children = [stage.infallibleSource(), stage.infallibleSource()]
        stage.present(
          outer.flatMap(maxPublishers: .max(1)) { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
        )
      },
      Entry("flatMap infallible child", traits: .closures, exemptFrom: chained) { stage in
        stage.present(
          stage.source().flatMap(maxPublishers: .max(1)) { value in
            stage.note(closure: "transform(\(value))")
            return (value * 10..<value * 10 + value % 4).publisher
          }
        )
      },
      Entry("flatMap infallible upstream", traits: [.closures, .infallible], exemptFrom: chained) { stage in
        stage.present(
          stage.infallibleSource().flatMap(maxPublishers: .max(1)) { value in
            stage.note(closure: "transform(\(value))")
            return numbers(value % 4)
          }
        )
      },
      Entry("sequence flatMap one at a time", sources: 2, parameters: [0...5], traits: .closures, exemptFrom: chained) {
        stage in
        let children = [stage.source(), stage.source()]
        stage.present(
          numbers(stage.parameter(0)).flatMap(maxPublishers: .max(1)) { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
        )
      },
    ]
  }

  // MARK: switchToLatest

  private static var switching: [Entry] {
    [
      Entry("switchToLatest", sources: 4, exemptFrom: afterOuterFailure) { stage in
        let children = [stage.source(), stage.source(), stage.source()]
        stage.present(stage.source { children[$0 % children.count] }.switchToLatest())
      },
      Entry("switchToLatest one child", sources: 2, exemptFrom: afterOuterFailure) { stage in
        let child = stage.source()
        stage.present(stage.source { _ in child }.switchToLatest())
      },
      Entry("switchToLatest infallible", sources: 3, traits: .infallible, exemptFrom: afterOuterFailure) { stage in
        let children = [stage.infallibleSource(), stage.infallibleSource()]
        stage.present(
          stage.source(failure: noFailure) { children[$0 % children.count] }.switchToLatest()
        )
      },
      Entry("switchToLatest infallible child", traits: [], exemptFrom: chained) { stage in
        stage.present(
          stage.source { value in (value * 10..<value * 10 + value % 4).publisher }.switchToLatest()
        )
      },
      Entry("switchToLatest infallible upstream", traits: .infallible, exemptFrom: chained) { stage in
        stage.present(
          stage.source(failure: noFailure) { value in numbers(value % 4) }.switchToLatest()
        )
      },
      Entry("switchToLatest mixture", sources: 2, exemptFrom: chained.union(afterOuterFailure)) { stage in
        let child = stage.source()
        stage.present(stage.source { anything($0, child) }.switchToLatest())
      },
      Entry("map switchToLatest", sources: 3, traits: .closures, exemptFrom: chained.union(afterOuterFailure)) {
        stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source()]
        stage.present(
          outer.map { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
          .switchToLatest()
        )
      },
      Entry("sequence switchToLatest", sources: 2, parameters: [0...4], exemptFrom: chained.union(afterOuterFailure)) {
        stage in
        let children = [stage.source(), stage.source()]
        stage.present(
          numbers(stage.parameter(0)).map { children[$0 % children.count] }.switchToLatest()
        )
      },
    ]
  }

  // MARK: append and prepend

  private static var concatenating: [Entry] {
    [
      Entry("append publisher", sources: 2) { stage in
        stage.present(stage.source().append(stage.source()))
      },
      Entry("append itself") { stage in
        let source = stage.source()
        stage.present(source.append(source))
      },
      Entry("append sequence", parameters: [0...4], exemptFrom: chained) { stage in
        stage.present(stage.source().append(100..<100 + stage.parameter(0)))
      },
      Entry("append elements", exemptFrom: chained) { stage in
        stage.present(stage.source().append(100, 101))
      },
      Entry("append Fail", exemptFrom: chained) { stage in
        stage.present(stage.source().append(Fail(error: Fault(code: 9))))
      },
      Entry("prepend publisher", sources: 2) { stage in
        stage.present(stage.source().prepend(stage.source()))
      },
      Entry("prepend sequence", parameters: [0...4], exemptFrom: chained) { stage in
        stage.present(stage.source().prepend(100..<100 + stage.parameter(0)))
      },
      Entry("prepend elements", exemptFrom: chained) { stage in
        stage.present(stage.source().prepend(100, 101))
      },
      Entry("Concatenate", sources: 2) { stage in
        stage.present(Publishers.Concatenate(prefix: stage.source(), suffix: stage.source()))
      },
      Entry("prepend append", sources: 1, parameters: [0...3, 0...3], exemptFrom: chained) { stage in
        stage.present(
          stage.source().prepend(100..<100 + stage.parameter(0)).append(200..<200 + stage.parameter(1))
        )
      },
      Entry("append append", sources: 3, exemptFrom: chained) { stage in
        stage.present(stage.source().append(stage.source()).append(stage.source()))
      },
      Entry("append in append", sources: 3, exemptFrom: chained) { stage in
        stage.present(stage.source().append(stage.source().append(stage.source())))
      },
    ]
  }

  // MARK: One inside the other

  private static var mixtures: [Entry] {
    [
      Entry("switchToLatest append", sources: 3, exemptFrom: chained.union(afterOuterFailure)) { stage in
        let children = [stage.source(), stage.source()]
        stage.present(stage.source { _ in children[0].append(children[1]) }.switchToLatest())
      }
    ]
  }

  // MARK: What they are made of

  /// An operator after another one, or after a publisher that holds its subscriber. They hold each other until they
  /// end.
  static let chained: Set<Law> = [.releaseWithoutEnd]

  /// An inner publisher that sends its subscription after the outer publisher has failed receives a request for the
  /// outstanding demand. Its values are delivered after the failure (row `switch-to-latest.values`). Nobody cancels it
  /// then.
  static let afterOuterFailure: Set<Law> = [.nothingAfterCompletion, .release]

  /// The same when the failure is not the end, because the outer publisher is subscribed to again.
  static let afterRetriedOuterFailure = afterOuterFailure.union([.cancelReachesUpstream, .earlyCancel])

  /// The maximum number of inner publishers, from a script's number: 0 means unlimited.
  static func limit(_ parameter: Int) -> Subscribers.Demand { parameter == 0 ? .unlimited : .max(parameter) }

  /// A sequence of 0, 1, … as a publisher that could fail.
  static func numbers(_ count: Int) -> Publishers.Sequence<Range<Int>, Fault> { .init(sequence: 0..<count) }

  /// Returns an inner publisher that depends on the value, or the one that a script controls.
  static func anything(_ value: Int, _ child: Source<Int, Fault>) -> AnyPublisher<Int, Fault> {
    switch value % 6 {
    case 0: Just(value).setFailureType(to: Fault.self).eraseToAnyPublisher()
    case 1: numbers(3).eraseToAnyPublisher()
    case 2: Empty(completeImmediately: true).eraseToAnyPublisher()
    case 3: Fail(error: Fault(code: value)).eraseToAnyPublisher()
    default: child.eraseToAnyPublisher()
    }
  }

  /// For a source that cannot fail.
  static func noFailure(_ code: Int) -> Never {
    preconditionFailure("an entry with this source has to say that it is infallible")
  }
}
