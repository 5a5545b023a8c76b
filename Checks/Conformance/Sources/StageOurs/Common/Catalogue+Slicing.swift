import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  /// `dropFirst` sends its subscription before it has one, and accepts the upstream's subscription even if it was
  /// cancelled meanwhile (row `drop.again`).
  static let losesEarlyCancels: Set<Law> = [.earlyCancel]

  /// `drop(untilOutputFrom:)` does not join two completions, so it may send both. After a value it releases the other
  /// publisher without a cancel. It requests a value from that publisher even if it was cancelled before
  /// (rows `drop-until-output.two-completions`, `drop-until-output.events` and `drop-until-output.after-cancel`).
  static let doesNotJoin: Set<Law> = [.nothingAfterCompletion, .cancelReachesUpstream, .earlyCancel]

  /// `prefix(untilOutputFrom:)` finishes at the other publisher's value even if it has not sent its subscription. It
  /// releases that publisher without a cancel (row `prefix-until-output.events`).
  static let endsWithoutBeginning: Set<Law> = [.oneSubscription, .cancelReachesUpstream]

  static var slicing: [Entry] {
    [
      Entry("first") { stage in
        stage.present(stage.source().first())
      },
      Entry("firstWhere", traits: .closures) { stage in
        stage.present(stage.source().first(where: stage.isEven))
      },
      Entry("tryFirstWhere", traits: .closures) { stage in
        stage.present(stage.source().tryFirst(where: stage.tryIsEven))
      },
      Entry("last") { stage in
        stage.present(stage.source().last())
      },
      Entry("lastWhere", traits: .closures) { stage in
        stage.present(stage.source().last(where: stage.isEven))
      },
      Entry("tryLastWhere", traits: .closures) { stage in
        stage.present(stage.source().tryLast(where: stage.tryIsEven))
      },
      Entry("dropFirst", parameters: [-1...4], exemptFrom: losesEarlyCancels) { stage in
        stage.present(stage.source().dropFirst(stage.parameter(0)))
      },
      Entry("dropWhile", traits: .closures) { stage in
        stage.present(stage.source().drop(while: stage.isSmall))
      },
      Entry("tryDropWhile", traits: .closures) { stage in
        stage.present(stage.source().tryDrop(while: stage.tryIsSmall))
      },
      Entry("dropUntilOutputFrom", sources: 2, exemptFrom: doesNotJoin) { stage in
        stage.present(stage.source().drop(untilOutputFrom: stage.source()))
      },
      Entry("prefix", parameters: [0...4]) { stage in
        stage.present(stage.source().prefix(stage.parameter(0)))
      },
      Entry("prefixWhile", traits: .closures) { stage in
        stage.present(stage.source().prefix(while: stage.isSmall))
      },
      Entry("tryPrefixWhile", traits: .closures) { stage in
        stage.present(stage.source().tryPrefix(while: stage.tryIsSmall))
      },
      Entry("prefixUntilOutputFrom", sources: 2, exemptFrom: endsWithoutBeginning) { stage in
        stage.present(stage.source().prefix(untilOutputFrom: stage.source()))
      },
      Entry("output(at:)", parameters: [0...4]) { stage in
        stage.present(stage.source().output(at: stage.parameter(0)))
      },
      Entry("output(in:)", parameters: [0...3, 0...4]) { stage in
        let start = stage.parameter(0)
        stage.present(stage.source().output(in: start..<start + stage.parameter(1)))
      },
      Entry("output(in:) from", parameters: [0...4]) { stage in
        stage.present(stage.source().output(in: stage.parameter(0)...))
      },

      // Several in a chain.
      Entry("dropFirst dropFirst", parameters: [0...2, 0...2], exemptFrom: losesEarlyCancels) { stage in
        stage.presentRow(stage.source().dropFirst(stage.parameter(0)).dropFirst(stage.parameter(1)))
      },
      Entry("prefixWhile dropWhile", traits: .closures) { stage in
        stage.presentRow(stage.source().prefix(while: stage.isSmall).drop(while: stage.isEven))
      },
      Entry("dropFirst first", parameters: [0...3], exemptFrom: losesEarlyCancels) { stage in
        stage.presentRow(stage.source().dropFirst(stage.parameter(0)).first())
      },
      Entry("dropFirst replaceError", parameters: [0...3], exemptFrom: losesEarlyCancels) { stage in
        stage.presentRow(stage.source().dropFirst(stage.parameter(0)).replaceError(with: 77))
      },
      Entry("first replaceEmpty", traits: .closures, exemptFrom: givesUnasked) { stage in
        stage.presentRow(stage.source().first(where: stage.isEven).replaceEmpty(with: 77))
      },
      Entry(
        "dropUntilOutputFrom prefixUntilOutputFrom",
        sources: 3,
        exemptFrom: doesNotJoin.union(endsWithoutBeginning)
      ) { stage in
        let upstream = stage.source()
        let start = stage.source()
        stage.presentRow(upstream.drop(untilOutputFrom: start).prefix(untilOutputFrom: stage.source()))
      },
      // Without the upstream's subscription there is nothing to cancel, and the two operators keep each other alive.
      Entry(
        "prefixUntilOutputFrom first",
        sources: 2,
        traits: .closures,
        exemptFrom: endsWithoutBeginning.union([.release])
      ) { stage in
        stage.presentRow(stage.source().prefix(untilOutputFrom: stage.source().first(where: stage.isEven)))
      },
    ]
  }
}
