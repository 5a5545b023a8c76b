import CombineCore
import SpecModels

extension Catalogue {

  /// CombineLatest, from the library or from the model: see ``modelled(by:)``.
  static func combiningLatest(by provider: Provider) -> [Entry] {
    joining(by: combineLatest(by: provider)) { mergeMany(provider, $0) }
  }

  private typealias Model<Row> = SpecModels.CombineLatest<Int, Row, Fault>

  private static func combineLatest(by provider: Provider) -> Joiner {
    Joiner(
      name: "combineLatest",
      two: { a, b in choose(provider, a.combineLatest(b), Model([a, b]) { ($0[0], $0[1]) }) },
      three: { a, b, c in
        choose(provider, a.combineLatest(b, c), Model([a, b, c]) { ($0[0], $0[1], $0[2]) })
      },
      four: { a, b, c, d in
        choose(provider, a.combineLatest(b, c, d), Model([a, b, c, d]) { ($0[0], $0[1], $0[2], $0[3]) })
      },
      twoTo: { a, b, transform in
        choose(provider, a.combineLatest(b, transform), Model([a, b]) { transform($0[0], $0[1]) })
      },
      threeTo: { a, b, c, transform in
        choose(provider, a.combineLatest(b, c, transform), Model([a, b, c]) { transform($0[0], $0[1], $0[2]) })
      },
      fourTo: { a, b, c, d, transform in
        choose(
          provider,
          a.combineLatest(b, c, d, transform),
          Model([a, b, c, d]) { transform($0[0], $0[1], $0[2], $0[3]) }
        )
      }
    )
  }
}
