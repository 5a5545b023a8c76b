import CombineCore
import CombineExtras
import Scripts
import SpecModels

extension Catalogue {

  /// Operators with a queue in front of their downstream.
  static func queued(by provider: Provider) -> [Entry] { materializing(by: provider) + racing(by: provider) }

  private static func materializing(by provider: Provider) -> [Entry] {
    [
      Entry("materialize") { stage in
        stage.present(
          choose(
            provider,
            stage.source().materialize().map { signal in
              switch signal {
              case .subscription: "subscription"
              case .input(let value): "input \(value)"
              case .completion(let completion): "completion \(completion)"
              }
            },
            SpecModels.Materialize(stage.source())
          )
        )
      },
      Entry("dematerialize", traits: .infallible) { stage in
        // 0 is a signal of a subscription, 8 and 9 are completions.
        let source = stage.infallibleSource()
        stage.present(
          choose(
            provider,
            source.map { (value: Int) -> Signal<Int, Fault> in
              switch value {
              case 8: .completion(.finished)
              case 9: .completion(.failure(Fault(code: 9)))
              default: .input(value)
              }
            }
            .dematerialize(),
            SpecModels.Dematerialize(source) { (value: Int) -> SpecModels.Element<Fault> in
              switch value {
              case 8: .completion(.finished)
              case 9: .completion(.failure(Fault(code: 9)))
              default: .input(value)
              }
            }
          )
        )
      },
      Entry("materialize dematerialize", exemptFrom: chained) { stage in
        stage.present(stage.source().materialize().dematerialize())
      },
    ]
  }

  private static func racing(by provider: Provider) -> [Entry] {
    [
      Entry("amb", sources: 2) { stage in
        let (first, second) = (stage.source(), stage.source())
        stage.present(choose(provider, first.amb(second), SpecModels.Amb(first, second)))
      },
      Entry("amb mixture", sources: 1, parameters: [0...5, 0...5], exemptFrom: chained) { stage in
        let source = stage.source()
        let (first, second) = (anything(stage.parameter(0), source), anything(stage.parameter(1), source))
        stage.present(choose(provider, first.amb(second), SpecModels.Amb(first, second)))
      },
      Entry("withLatest", sources: 2, traits: .closures) { stage in
        let (upstream, other) = (stage.source(), stage.source())
        stage.present(
          choose(
            provider,
            upstream.withLatest(of: other, stage.sum),
            SpecModels.WithLatest(upstream, other, isUpstreamFirst: false, stage.sum)
          )
        )
      },
      Entry("withLatest, upstream first", sources: 2, traits: .closures) { stage in
        let (upstream, other) = (stage.source(), stage.source())
        stage.present(
          choose(
            provider,
            ExtraPublishers.WithLatest(
              upstream: upstream,
              other: other,
              subscribesUpstreamFirst: true,
              transform: stage.sum
            ),
            SpecModels.WithLatest(upstream, other, isUpstreamFirst: true, stage.sum)
          )
        )
      },
      Entry("withLatest mixture", sources: 2, parameters: [0...5, 0...5, 0...1], exemptFrom: chained) { stage in
        let (one, two) = (stage.source(), stage.source())
        let (upstream, other) = (anything(stage.parameter(0), one), anything(stage.parameter(1), two))
        let isUpstreamFirst = stage.parameter(2) == 1
        stage.present(
          choose(
            provider,
            ExtraPublishers.WithLatest(
              upstream: upstream,
              other: other,
              subscribesUpstreamFirst: isUpstreamFirst
            ) { $0 * 10 + $1 },
            SpecModels.WithLatest(upstream, other, isUpstreamFirst: isUpstreamFirst) { $0 * 10 + $1 }
          )
        )
      },
    ]
  }
}
