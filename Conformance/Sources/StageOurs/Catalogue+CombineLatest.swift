import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  /// CombineLatest, by the library or by the model: see ``modelled(by:)``.
  static func combiningLatest(by provider: Provider) -> [Entry] {
    [
      Entry("combineLatest", sources: 2) { stage in
        stage.present(combineLatest(provider, stage.source(), stage.source()))
      },
      Entry("combineLatest transform", sources: 2, traits: .closures) { stage in
        let sources = [stage.source(), stage.source()]
        func transform(_ one: Int, _ two: Int) -> Int {
          stage.note(closure: "transform(\(one), \(two))")
          return one * 10 + two
        }
        stage.present(
          choose(
            provider,
            sources[0].combineLatest(sources[1], transform),
            SpecModels.CombineLatest(sources) { transform($0[0], $0[1]) }
          )
        )
      },
      Entry("combineLatest3", sources: 3) { stage in
        let sources = [stage.source(), stage.source(), stage.source()]
        stage.present(
          choose(
            provider,
            sources[0].combineLatest(sources[1], sources[2]),
            SpecModels.CombineLatest(sources) { ($0[0], $0[1], $0[2]) }
          )
        )
      },
      Entry("combineLatest3 transform", sources: 3, traits: .closures) { stage in
        let sources = [stage.source(), stage.source(), stage.source()]
        func transform(_ one: Int, _ two: Int, _ three: Int) -> Int {
          stage.note(closure: "transform(\(one), \(two), \(three))")
          return one * 100 + two * 10 + three
        }
        stage.present(
          choose(
            provider,
            sources[0].combineLatest(sources[1], sources[2], transform),
            SpecModels.CombineLatest(sources) { transform($0[0], $0[1], $0[2]) }
          )
        )
      },
      Entry("combineLatest4", sources: 4) { stage in
        let sources = [stage.source(), stage.source(), stage.source(), stage.source()]
        stage.present(
          choose(
            provider,
            sources[0].combineLatest(sources[1], sources[2], sources[3]),
            SpecModels.CombineLatest(sources) { ($0[0], $0[1], $0[2], $0[3]) }
          )
        )
      },
      Entry("combineLatest4 transform", sources: 4, traits: .closures) { stage in
        let sources = [stage.source(), stage.source(), stage.source(), stage.source()]
        func transform(_ one: Int, _ two: Int, _ three: Int, _ four: Int) -> Int {
          stage.note(closure: "transform(\(one), \(two), \(three), \(four))")
          return one * 1_000 + two * 100 + three * 10 + four
        }
        stage.present(
          choose(
            provider,
            sources[0].combineLatest(sources[1], sources[2], sources[3], transform),
            SpecModels.CombineLatest(sources) { transform($0[0], $0[1], $0[2], $0[3]) }
          )
        )
      },
      Entry("combineLatest with itself") { stage in
        let source = stage.source()
        stage.present(combineLatest(provider, source, source))
      },
      Entry("combineLatest with a sequence", parameters: [0...4]) { stage in
        stage.present(combineLatest(provider, stage.source(), numbers(stage.parameter(0))))
      },
      Entry("combineLatest mixture", sources: 1, parameters: [0...5, 0...5]) { stage in
        let source = stage.source()
        stage.present(
          combineLatest(provider, anything(stage.parameter(0), source), anything(stage.parameter(1), source))
        )
      },
      Entry("flatMap combineLatest", sources: 4, parameters: [0...2], traits: .closures) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source(), stage.source()]
        stage.present(
          outer.flatMap(maxPublishers: limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return combineLatest(provider, children[value % 3], children[(value + 1) % 3])
          }
        )
      },
      Entry("combineLatest flatMap", sources: 4, parameters: [0...2], traits: .closures) { stage in
        let outer = [stage.source(), stage.source()]
        let children = [stage.source(), stage.source()]
        let limit = limit(stage.parameter(0))
        let mapped = outer.map { source in
          source.flatMap(maxPublishers: limit) { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
        }
        stage.present(combineLatest(provider, mapped[0], mapped[1]))
      },
      Entry("switchToLatest combineLatest", sources: 3) { stage in
        let children = [stage.source(), stage.source()]
        stage.present(stage.source { _ in combineLatest(provider, children[0], children[1]) }.switchToLatest())
      },
      Entry("combineLatest combineLatest", sources: 3) { stage in
        let inner = combineLatest(provider, stage.source(), stage.source()).map { $0 * 10 + $1 }
        stage.present(combineLatest(provider, inner, stage.source()))
      },
      Entry("combineLatest zip", sources: 3) { stage in
        let zip = stage.source().zip(stage.source()) { $0 * 10 + $1 }
        stage.present(combineLatest(provider, zip, stage.source()))
      },
      Entry("combineLatest merge", sources: 3) { stage in
        let merged = merge(provider, [stage.source(), stage.source()])
        stage.present(combineLatest(provider, merged, stage.source()))
      },
      Entry("merge combineLatest", sources: 3) { stage in
        let latest = combineLatest(provider, stage.source(), stage.source()).map { $0 * 10 + $1 }
        stage.present(mergeMany(provider, [latest.eraseToAnyPublisher(), stage.source().eraseToAnyPublisher()]))
      },
      Entry("retry combineLatest", sources: 2, parameters: [0...2]) { stage in
        stage.present(combineLatest(provider, stage.source(), stage.source()).retry(stage.parameter(0)))
      },
    ]
  }

  private static func combineLatest<A: Publisher<Int, Fault>, B: Publisher<Int, Fault>>(
    _ provider: Provider,
    _ a: A,
    _ b: B
  ) -> AnyPublisher<(Int, Int), Fault> {
    choose(provider, a.combineLatest(b), SpecModels.CombineLatest([a, b]) { ($0[0], $0[1]) })
  }

  private static func choose<Library: Publisher, Model: Publisher>(
    _ provider: Provider,
    _ library: @autoclosure () -> Library,
    _ model: @autoclosure () -> Model
  ) -> AnyPublisher<Library.Output, Library.Failure>
  where Library.Output == Model.Output, Library.Failure == Model.Failure {
    switch provider {
    case .library: library().eraseToAnyPublisher()
    case .model: model().eraseToAnyPublisher()
    }
  }
}
