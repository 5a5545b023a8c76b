import CombineCore
import CombineExtras
import Scripts
import SpecModels

extension Catalogue {

  /// The operators of `CombineExtras`, from the library or from the models: see ``modelled(by:)``.
  static func extras(by provider: Provider) -> [Entry] {
    let groups: [[Entry]] = [
      extraMapping(by: provider), extraCollections(by: provider), joiningEach(by: provider), queued(by: provider),
      extraElementwise(by: provider), extraSources(by: provider), grouped(by: provider), extraSharing(by: provider),
      extraTiming(by: provider), timedWindows(by: provider),
    ]
    return groups.flatMap { $0 }
  }

  // MARK: Operators that are compositions of others

  private static func extraMapping(by provider: Provider) -> [Entry] {
    [
      Entry("enumerated", parameters: [0...3], exemptFrom: transparent) { stage in
        let initial = stage.parameter(0)
        stage.present(
          choose(
            provider,
            stage.source().enumerated(initial: initial),
            SpecModels.Transparent(stage.source()) {
              var index = initial - 1
              return { value in
                index += 1
                return (index: index, element: value)
              }
            }
          )
        )
      },
      Entry("concatMap", sources: 3, traits: .closures) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source()]
        func transform(_ value: Int) -> Source<Int, Fault> {
          stage.note(closure: "transform(\(value))")
          return children[value % 2]
        }
        stage.present(
          choose(
            provider,
            outer.concatMap(transform),
            SpecModels.FlatMap(outer, maxPublishers: .max(1), transform)
          )
        )
      },
      Entry("flatMapLatest", sources: 3, traits: .closures, exemptFrom: chained.union(afterOuterFailure)) { stage in
        let outer = stage.source()
        let children = [stage.source(), stage.source()]
        func transform(_ value: Int) -> Source<Int, Fault> {
          stage.note(closure: "transform(\(value))")
          return children[value % 2]
        }
        stage.present(choose(provider, outer.flatMapLatest(transform), outer.map(transform).switchToLatest()))
      },
      Entry("distinct", subscribers: 2, exemptFrom: transparent) { stage in
        let source = stage.source()
        stage.present(
          choose(
            provider,
            source.distinct(),
            SpecModels.PerSubscription {
              var seen: [Int] = []
              return source.filter { value in
                if seen.contains(value) { return false }
                seen.append(value)
                return true
              }
            }
          )
        )
      },
      Entry("distinct by predicate", subscribers: 2, traits: .closures, exemptFrom: transparent) { stage in
        let source = stage.source()
        stage.present(
          choose(
            provider,
            source.distinct(by: stage.isSame),
            SpecModels.PerSubscription {
              var seen: [Int] = []
              return source.filter { value in
                // "closure called (earlier, new), oldest first". Those that come meanwhile count, too.
                var index = 0
                while index < seen.count {
                  if stage.isSame(seen[index], value) { return false }
                  index += 1
                }
                seen.append(value)
                return true
              }
            }
          )
        )
      },
      Entry("pairwise", subscribers: 2, exemptFrom: transparent) { stage in
        let source = stage.source()
        stage.present(
          choose(
            provider,
            source.pairwise(),
            SpecModels.PerSubscription {
              var last: Int?
              return source.compactMap { value in
                defer { last = value }
                return last.map { ($0, value) }
              }
            }
          )
        )
      },
    ]
  }

  // MARK: Collections and packs of publishers

  private static func extraCollections(by provider: Provider) -> [Entry] {
    func publishers(_ stage: Stage) -> [Numbers] {
      let sources = (0..<5).map { _ in stage.numbers() }
      return Array(sources.prefix(stage.parameter(0)))
    }
    return [
      Entry("combineLatest of a collection", sources: 5, parameters: [2...5]) { stage in
        let publishers = publishers(stage)
        stage.present(
          choose(
            provider,
            publishers.combineLatest(),
            collected(publishers) { SpecModels.CombineLatest($0) { $0 } }
          )
        )
      },
      Entry("zip of a collection", sources: 5, parameters: [2...5], exemptFrom: [.demand]) { stage in
        let publishers = publishers(stage)
        stage.present(choose(provider, publishers.zip(), collected(publishers) { SpecModels.Zip($0) { $0 } }))
      },
      Entry("merge of a collection", sources: 5, parameters: [0...5]) { stage in
        let publishers = publishers(stage)
        stage.present(
          choose(
            provider,
            publishers.merge(),
            publishers.isEmpty ? Empty().eraseToAnyPublisher() : SpecModels.Merge(publishers).eraseToAnyPublisher()
          )
        )
      },
      Entry("MergeEach", sources: 5, parameters: [0...5]) { stage in
        let s = publishers(stage)
        let merged: ExtraPublishers.MergeEach<Int, Fault> =
          switch s.count {
          case 0: ExtraPublishers.MergeEach()
          case 1: ExtraPublishers.MergeEach(s[0])
          case 2: ExtraPublishers.MergeEach(s[0], s[1])
          case 3: ExtraPublishers.MergeEach(s[0], s[1], s[2])
          case 4: ExtraPublishers.MergeEach(s[0], s[1], s[2], s[3])
          default: ExtraPublishers.MergeEach(s[0], s[1], s[2], s[3], s[4])
          }
        stage.present(
          choose(
            provider,
            merged,
            s.isEmpty ? Empty().eraseToAnyPublisher() : SpecModels.Merge(s).eraseToAnyPublisher()
          )
        )
      },
      Entry("ZipEach of five", sources: 5, exemptFrom: [.demand]) { stage in
        let s = (0..<5).map { _ in stage.numbers() }
        stage.present(
          choose(
            provider,
            ExtraPublishers.ZipEach(s[0], s[1], s[2], s[3], s[4]),
            SpecModels.Zip(s) { ($0[0], $0[1], $0[2], $0[3], $0[4]) }
          )
        )
      },
      Entry("CombineLatestEach of five", sources: 5) { stage in
        let s = (0..<5).map { _ in stage.numbers() }
        stage.present(
          choose(
            provider,
            ExtraPublishers.CombineLatestEach(s[0], s[1], s[2], s[3], s[4]),
            SpecModels.CombineLatest(s) { ($0[0], $0[1], $0[2], $0[3], $0[4]) }
          )
        )
      },
    ]
  }

  /// One publisher gives arrays of one element (row `collections.mixing`).
  private static func collected<Joined: Publisher<[Int], Fault>>(
    _ publishers: [Numbers],
    _ join: ([Numbers]) -> Joined
  ) -> AnyPublisher<[Int], Fault> {
    publishers.count == 1
      ? publishers[0].map { [$0] }.eraseToAnyPublisher() : join(publishers).eraseToAnyPublisher()
  }

  /// The publishers of packs follow the rules of zip and combineLatest, in all their mixtures.
  private static func joiningEach(by provider: Provider) -> [Entry] {
    typealias ZipModel<Row> = SpecModels.Zip<Int, Row, Fault>
    typealias LatestModel<Row> = SpecModels.CombineLatest<Int, Row, Fault>
    let zip = Joiner(
      name: "ZipEach",
      exemptions: [.demand],
      exemptionsInChains: [.cancelReachesUpstream, .earlyCancel, .release],
      two: { a, b in choose(provider, ExtraPublishers.ZipEach(a, b), ZipModel([a, b]) { ($0[0], $0[1]) }) },
      three: { a, b, c in
        choose(provider, ExtraPublishers.ZipEach(a, b, c), ZipModel([a, b, c]) { ($0[0], $0[1], $0[2]) })
      },
      four: { a, b, c, d in
        choose(provider, ExtraPublishers.ZipEach(a, b, c, d), ZipModel([a, b, c, d]) { ($0[0], $0[1], $0[2], $0[3]) })
      },
      twoTo: { a, b, transform in
        choose(
          provider,
          ExtraPublishers.ZipEach(a, b).map { transform($0.0, $0.1) },
          ZipModel([a, b]) { transform($0[0], $0[1]) }
        )
      },
      threeTo: { a, b, c, transform in
        choose(
          provider,
          ExtraPublishers.ZipEach(a, b, c).map { transform($0.0, $0.1, $0.2) },
          ZipModel([a, b, c]) { transform($0[0], $0[1], $0[2]) }
        )
      },
      fourTo: { a, b, c, d, transform in
        choose(
          provider,
          ExtraPublishers.ZipEach(a, b, c, d).map { transform($0.0, $0.1, $0.2, $0.3) },
          ZipModel([a, b, c, d]) { transform($0[0], $0[1], $0[2], $0[3]) }
        )
      }
    )
    let latest = Joiner(
      name: "CombineLatestEach",
      two: { a, b in choose(provider, ExtraPublishers.CombineLatestEach(a, b), LatestModel([a, b]) { ($0[0], $0[1]) })
      },
      three: { a, b, c in
        choose(provider, ExtraPublishers.CombineLatestEach(a, b, c), LatestModel([a, b, c]) { ($0[0], $0[1], $0[2]) })
      },
      four: { a, b, c, d in
        choose(
          provider,
          ExtraPublishers.CombineLatestEach(a, b, c, d),
          LatestModel([a, b, c, d]) { ($0[0], $0[1], $0[2], $0[3]) }
        )
      },
      twoTo: { a, b, transform in
        choose(
          provider,
          ExtraPublishers.CombineLatestEach(a, b).map { transform($0.0, $0.1) },
          LatestModel([a, b]) { transform($0[0], $0[1]) }
        )
      },
      threeTo: { a, b, c, transform in
        choose(
          provider,
          ExtraPublishers.CombineLatestEach(a, b, c).map { transform($0.0, $0.1, $0.2) },
          LatestModel([a, b, c]) { transform($0[0], $0[1], $0[2]) }
        )
      },
      fourTo: { a, b, c, d, transform in
        choose(
          provider,
          ExtraPublishers.CombineLatestEach(a, b, c, d).map { transform($0.0, $0.1, $0.2, $0.3) },
          LatestModel([a, b, c, d]) { transform($0[0], $0[1], $0[2], $0[3]) }
        )
      }
    )
    return [zip, latest].flatMap { joiner in joining(by: joiner) { mergeMany(provider, $0) } }
  }
}
