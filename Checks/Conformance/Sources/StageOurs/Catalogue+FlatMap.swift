import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  /// FlatMap, from the library or from the model: see ``modelled(by:)``.
  ///
  /// The peer has flatMap too, and runs it where no two inner publishers are live at the same time
  /// (`Catalogue+Mixing.swift`). Its inner publishers have no order, and the rest of a script depends on the one that
  /// receives a request first.
  static func flatMapping(by provider: Provider) -> [Entry] {
    [
      Entry("flatMap", sources: 4, parameters: [0...3], traits: .closures) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source(), stage.source()]
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
        )
      },
      // Nothing is requested, so only a lawless script gets far.
      Entry("flatMap none", sources: 3, traits: .closures) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source()]
        stage.present(
          flatMap(provider, outer, .none) { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
        )
      },
      Entry("flatMap one child", sources: 2, parameters: [0...2], traits: .closures) { stage in
        let outer = stage.source()
        let child = stage.source()
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return child
          }
        )
      },
      Entry("flatMap Just", parameters: [0...3], traits: .closures, exemptFrom: chained) { stage in
        stage.present(
          flatMap(provider, stage.source(), limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return Just(value * 10).setFailureType(to: Fault.self)
          }
        )
      },
      Entry("flatMap sequence", parameters: [0...3], traits: .closures, exemptFrom: chained) { stage in
        stage.present(
          flatMap(provider, stage.source(), limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return numbers(value % 4)
          }
        )
      },
      // Inner publishers of several kinds at the same time.
      Entry("flatMap mixture", sources: 2, parameters: [0...3], traits: .closures, exemptFrom: chained) { stage in
        let outer = stage.source()
        let child = stage.source()
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return anything(value, child)
          }
        )
      },
      Entry("sequence flatMap", sources: 3, parameters: [0...3, 0...5], traits: .closures, exemptFrom: chained) {
        stage in
        let children = [stage.source(), stage.source(), stage.source()]
        stage.present(
          flatMap(provider, numbers(stage.parameter(1)), limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
        )
      },
      Entry("sequence flatMap sequence", parameters: [0...3, 0...5], traits: .closures, exemptFrom: chained) { stage in
        stage.present(
          flatMap(provider, numbers(stage.parameter(1)), limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return numbers(value)
          }
        )
      },
      Entry(
        "flatMap flatMap",
        sources: 3,
        parameters: [0...2, 0...2],
        traits: .closures,
        // The first may end by its inner publisher's failure while the second, which is cancelled, cancels its own.
        exemptFrom: chained.union(upstreamStays)
      ) { stage in
        let outer = stage.source()
        let middle = stage.source()
        let inner = stage.source()
        let mapped = flatMap(provider, outer, limit(stage.parameter(0))) { value in
          stage.note(closure: "outer transform(\(value))")
          return middle
        }
        stage.present(
          flatMap(provider, mapped, limit(stage.parameter(1))) { value in
            stage.note(closure: "inner transform(\(value))")
            return inner
          }
        )
      },
      Entry("flatMap append", sources: 3, parameters: [0...2], traits: .closures, exemptFrom: chained) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source()]
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return children[0].append(children[1])
          }
        )
      },
      Entry("append flatMap", sources: 3, parameters: [0...2], traits: .closures, exemptFrom: chained) { stage in
        let outer = stage.source()
        let child = stage.source()
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return child
          }
          .append(stage.source())
        )
      },
      Entry(
        "flatMap switchToLatest",
        sources: 4,
        parameters: [0...2],
        traits: .closures,
        exemptFrom: chained.union(afterOuterFailure)
      ) { stage in
        let children = [stage.source(), stage.source()]
        let switches = stage.source { children[$0 % children.count] }
        stage.present(
          flatMap(provider, stage.source(), limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return switches.switchToLatest()
          }
        )
      },
      Entry(
        "switchToLatest flatMap",
        sources: 4,
        parameters: [0...2],
        traits: .closures,
        exemptFrom: chained.union(afterOuterFailure)
      ) { stage in
        let children = [stage.source(), stage.source()]
        let middle = stage.source()
        let limit = limit(stage.parameter(0))
        stage.present(
          stage.source { _ in
            flatMap(provider, middle, limit) { value in
              stage.note(closure: "transform(\(value))")
              return children[value % children.count]
            }
          }
          .switchToLatest()
        )
      },
      Entry("flatMap prefix", sources: 2, parameters: [0...2, 0...3], traits: .closures, exemptFrom: chained) { stage in
        let outer = stage.source()
        let child = stage.source()
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return child
          }
          .prefix(stage.parameter(1))
        )
      },
      Entry(
        "retry flatMap",
        sources: 2,
        parameters: [0...2, 0...2],
        traits: .closures,
        exemptFrom: chained.union(upstreamStays)
      ) { stage in
        let outer = stage.source()
        let child = stage.source()
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(1))) { value in
            stage.note(closure: "transform(\(value))")
            return child
          }
          .retry(stage.parameter(0))
        )
      },
      Entry("flatMap retry", sources: 2, parameters: [0...2, 0...2], traits: .closures, exemptFrom: chained) { stage in
        let outer = stage.source()
        let child = stage.source()
        let retries = stage.parameter(0)
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(1))) { value in
            stage.note(closure: "transform(\(value))")
            return child.retry(retries)
          }
        )
      },
      Entry("flatMap catch", sources: 3, parameters: [0...2], traits: .closures, exemptFrom: chained) { stage in
        let outer = stage.source()
        let child = stage.source()
        let replacement = stage.source()
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return child.catch { error in
              stage.note(closure: "handler(\(error))")
              return replacement
            }
          }
        )
      },
      Entry(
        "catch flatMap",
        sources: 3,
        parameters: [0...2],
        traits: .closures,
        exemptFrom: chained.union(upstreamStays)
      ) { stage in
        let outer = stage.source()
        let child = stage.source()
        let replacement = stage.source()
        stage.present(
          flatMap(provider, outer, limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return child
          }
          .catch { error in
            stage.note(closure: "handler(\(error))")
            return replacement
          }
        )
      },
    ]
  }

  /// If an inner publisher fails, the upstream is not cancelled, then or later (row `flat-map.failure`).
  static let upstreamStays: Set<Law> = [.cancelReachesUpstream, .earlyCancel]

  private static func flatMap<Upstream: Publisher, Child: Publisher>(
    _ provider: Provider,
    _ upstream: Upstream,
    _ maxPublishers: Subscribers.Demand,
    _ transform: @escaping (Upstream.Output) -> Child
  ) -> AnyPublisher<Child.Output, Fault> where Upstream.Failure == Fault, Child.Failure == Fault {
    choose(
      provider,
      Publishers.FlatMap(upstream: upstream, maxPublishers: maxPublishers, transform: transform),
      SpecModels.FlatMap(upstream, maxPublishers: maxPublishers, transform)
    )
  }
}
