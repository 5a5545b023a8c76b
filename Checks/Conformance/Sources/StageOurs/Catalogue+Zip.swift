import CombineCore
import SpecModels

extension Catalogue {

  /// Zip, from the library or from the model: see ``modelled(by:)``.
  ///
  /// The peer has zip too, but it traps if a subscription comes late. It also requests from its upstreams inside the
  /// downstream's `receive(subscription:)`. Few scripts would get past their start.
  static func zipping(by provider: Provider) -> [Entry] {
    joining(by: zip(by: provider)) { mergeMany(provider, $0) }
  }

  private typealias Model<Row> = SpecModels.Zip<Int, Row, Fault>

  private static func zip(by provider: Provider) -> Joiner {
    Joiner(
      name: "zip",
      // It delivers each complete tuple without regard to demand (row `zip.values`).
      exemptions: [.demand],
      // Until all of its upstreams have sent their subscriptions, it has none that could be cancelled.
      exemptionsInChains: [.cancelReachesUpstream, .earlyCancel, .release],
      two: { a, b in choose(provider, a.zip(b), Model([a, b]) { ($0[0], $0[1]) }) },
      three: { a, b, c in
        choose(provider, a.zip(b, c), Model([a, b, c]) { ($0[0], $0[1], $0[2]) })
      },
      four: { a, b, c, d in
        choose(provider, a.zip(b, c, d), Model([a, b, c, d]) { ($0[0], $0[1], $0[2], $0[3]) })
      },
      twoTo: { a, b, transform in
        choose(provider, a.zip(b, transform), Model([a, b]) { transform($0[0], $0[1]) })
      },
      threeTo: { a, b, c, transform in
        choose(provider, a.zip(b, c, transform), Model([a, b, c]) { transform($0[0], $0[1], $0[2]) })
      },
      fourTo: { a, b, c, d, transform in
        choose(
          provider,
          a.zip(b, c, d, transform),
          Model([a, b, c, d]) { transform($0[0], $0[1], $0[2], $0[3]) }
        )
      }
    )
  }
}
