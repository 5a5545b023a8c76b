import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  /// Merge, from the library or from the model: see ``modelled(by:)``.
  static func merging(by provider: Provider) -> [Entry] {
    (2...8).map { count in
      Entry(count == 2 ? "merge" : "merge\(count)", sources: count) { stage in
        stage.present(merge(provider, (0..<count).map { _ in stage.source() }))
      }
    } + [
      Entry("MergeMany", sources: 4, parameters: [0...4]) { stage in
        let sources = (0..<4).map { _ in stage.source() }
        stage.present(mergeMany(provider, sources.prefix(stage.parameter(0)).map { $0.eraseToAnyPublisher() }))
      },
      Entry("merge with itself") { stage in
        let source = stage.source()
        stage.present(merge(provider, [source, source]))
      },
      // A publisher that finishes inside its first request, before the others are subscribed to or after.
      Entry("merge sequences", sources: 1, parameters: [0...4, 0...4], exemptFrom: chained) { stage in
        let sequences = [0, 1].map { numbers(stage.parameter($0)).eraseToAnyPublisher() }
        stage.present(mergeMany(provider, [sequences[0], stage.source().eraseToAnyPublisher(), sequences[1]]))
      },
      Entry("merge mixture", sources: 1, parameters: [0...5, 0...5], exemptFrom: chained) { stage in
        let source = stage.source()
        stage.present(
          mergeMany(
            provider,
            [anything(stage.parameter(0), source), anything(stage.parameter(1), source), source.eraseToAnyPublisher()]
          )
        )
      },
      Entry("flatMap merge", sources: 4, parameters: [0...2], traits: .closures, exemptFrom: chained) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source(), stage.source()]
        stage.present(
          outer.flatMap(maxPublishers: limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return merge(provider, [children[value % 3], children[(value + 1) % 3]])
          }
        )
      },
      Entry(
        "merge flatMap",
        sources: 4,
        parameters: [0...2],
        traits: .closures,
        exemptFrom: chained.union(upstreamStays)
      ) { stage in
        let outer = [stage.source(), stage.source()]
        let children = [stage.source(), stage.source()]
        let limit = limit(stage.parameter(0))
        stage.present(
          mergeMany(
            provider,
            outer.map { source in
              source.flatMap(maxPublishers: limit) { value in
                stage.note(closure: "transform(\(value))")
                return children[value % children.count]
              }
              .eraseToAnyPublisher()
            }
          )
        )
      },
      Entry("switchToLatest merge", sources: 3, exemptFrom: chained.union(afterOuterFailure)) { stage in
        let children = [stage.source(), stage.source()]
        stage.present(stage.source { _ in merge(provider, children) }.switchToLatest())
      },
      Entry("merge merge", sources: 4, exemptFrom: chained) { stage in
        let merged = (0..<2).map { _ in merge(provider, [stage.source(), stage.source()]) }
        stage.present(mergeMany(provider, merged))
      },
      Entry("merge append", sources: 4, exemptFrom: chained) { stage in
        let appended = (0..<2).map { _ in stage.source().append(stage.source()).eraseToAnyPublisher() }
        stage.present(mergeMany(provider, appended))
      },
      Entry("merge retry", sources: 2, parameters: [0...2, 0...2], exemptFrom: chained) { stage in
        let retrying = (0..<2).map { stage.source().retry(stage.parameter($0)).eraseToAnyPublisher() }
        stage.present(mergeMany(provider, retrying))
      },
      Entry("retry merge", sources: 2, parameters: [0...2], exemptFrom: chained) { stage in
        stage.present(merge(provider, [stage.source(), stage.source()]).retry(stage.parameter(0)))
      },
      Entry("merge catch", sources: 3, traits: .closures, exemptFrom: chained) { stage in
        let replacement = stage.source()
        let catching = (0..<2).map { _ in
          stage.source().catch { error in
            stage.note(closure: "handler(\(error))")
            return replacement
          }
          .eraseToAnyPublisher()
        }
        stage.present(mergeMany(provider, catching))
      },
      Entry("merge prefix", sources: 2, parameters: [0...3], exemptFrom: chained) { stage in
        stage.present(merge(provider, [stage.source(), stage.source()]).prefix(stage.parameter(0)))
      },
    ]
  }

  /// Merges the sources by the type with this number of upstreams.
  private static func merge(_ provider: Provider, _ s: [Source<Int, Fault>]) -> Numbers {
    guard provider == .library else { return mergeMany(provider, s.map { $0.eraseToAnyPublisher() }) }
    return switch s.count {
    // Publishers of one type, for which `merge(with:)` would create a MergeMany.
    case 2: Publishers.Merge(s[0], s[1]).eraseToAnyPublisher()
    case 3: s[0].merge(with: s[1], s[2]).eraseToAnyPublisher()
    case 4: s[0].merge(with: s[1], s[2], s[3]).eraseToAnyPublisher()
    case 5: s[0].merge(with: s[1], s[2], s[3], s[4]).eraseToAnyPublisher()
    case 6: s[0].merge(with: s[1], s[2], s[3], s[4], s[5]).eraseToAnyPublisher()
    case 7: s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6]).eraseToAnyPublisher()
    case 8: s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6], s[7]).eraseToAnyPublisher()
    default: preconditionFailure("no merge of \(s.count)")
    }
  }

  static func mergeMany(_ provider: Provider, _ publishers: [Numbers]) -> Numbers {
    switch provider {
    case .library: Publishers.MergeMany(publishers).eraseToAnyPublisher()
    case .model: SpecModels.Merge(publishers).eraseToAnyPublisher()
    }
  }
}
