import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  /// `replaceEmpty` requests unlimited demand and republishes every element without regard to demand (row
  /// `replace-empty.values`).
  static let givesUnasked: Set<Law> = [.demand]

  static var filtering: [Entry] {
    [
      Entry("filter", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().filter(stage.isEven))
      },
      Entry("tryFilter", traits: .closures) { stage in
        stage.present(stage.source().tryFilter(stage.tryIsEven))
      },
      Entry("compactMap", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().compactMap(stage.half))
      },
      Entry("tryCompactMap", traits: .closures) { stage in
        stage.present(stage.source().tryCompactMap(stage.tryHalf))
      },
      Entry("removeDuplicates", traits: .closures) { stage in
        stage.present(stage.source { stage.probe($0 % 3) }.removeDuplicates())
      },
      Entry("removeDuplicatesBy", traits: .closures) { stage in
        stage.present(stage.source().removeDuplicates(by: stage.isRepetition))
      },
      Entry("removeDuplicatesBy pairs", traits: .closures) { stage in
        stage.present(stage.source().removeDuplicates(by: stage.isSame))
      },
      Entry("tryRemoveDuplicates", traits: .closures) { stage in
        stage.present(stage.source().tryRemoveDuplicates(by: stage.tryIsRepetition))
      },
      Entry("tryRemoveDuplicates pairs", traits: .closures) { stage in
        stage.present(stage.source().tryRemoveDuplicates(by: stage.tryIsSame))
      },
      Entry("replaceEmpty", exemptFrom: givesUnasked) { stage in
        stage.present(stage.source().replaceEmpty(with: 77))
      },
      Entry("replaceError") { stage in
        stage.present(stage.source().replaceError(with: 77))
      },
      Entry("ignoreOutput", exemptFrom: transparent) { stage in
        stage.present(stage.source().ignoreOutput())
      },

      // Two that fuse into one.
      Entry("filter filter", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().filter(stage.isEven).filter(stage.isSmall))
      },
      Entry("filter tryFilter", traits: .closures) { stage in
        stage.present(stage.source().filter(stage.isSmall).tryFilter(stage.tryIsEven))
      },
      Entry("tryFilter filter", traits: .closures) { stage in
        stage.present(stage.source().tryFilter(stage.tryIsEven).filter(stage.isSmall))
      },
      Entry("tryFilter tryFilter", traits: .closures) { stage in
        stage.present(stage.source().tryFilter(stage.tryIsSmall).tryFilter(stage.tryIsEven))
      },
      Entry("compactMap compactMap", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().compactMap(stage.half).compactMap(stage.half))
      },
      Entry("compactMap map", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().compactMap(stage.half).map(stage.transform))
      },
      Entry("tryCompactMap compactMap", traits: .closures) { stage in
        stage.present(stage.source().tryCompactMap(stage.tryHalf).compactMap(stage.half))
      },

      // Neighbours that must not fuse, and ends that meet.
      Entry("tryCompactMap tryCompactMap", traits: .closures) { stage in
        stage.presentRow(stage.source().tryCompactMap(stage.half).tryCompactMap(stage.tryHalf))
      },
      Entry("tryMap replaceError", traits: .closures) { stage in
        stage.presentRow(stage.source().tryMap(stage.tryTransform).replaceError(with: 77))
      },
      Entry("tryFilter replaceError replaceEmpty", traits: .closures, exemptFrom: givesUnasked) { stage in
        stage.presentRow(stage.source().tryFilter(stage.tryIsEven).replaceError(with: 77).replaceEmpty(with: 78))
      },
      Entry("replaceEmpty replaceError", exemptFrom: givesUnasked) { stage in
        stage.presentRow(stage.source().replaceEmpty(with: 78).replaceError(with: 77))
      },
      Entry("filter replaceEmpty", traits: .closures, exemptFrom: givesUnasked) { stage in
        stage.presentRow(stage.source().filter(stage.isEven).replaceEmpty(with: 77))
      },
      Entry("removeDuplicates scan", traits: .closures) { stage in
        stage.present(stage.source().removeDuplicates(by: stage.isRepetition).scan(0, stage.sum))
      },
      Entry("ignoreOutput collect", traits: .closures) { stage in
        stage.presentRow(
          stage.source().ignoreOutput().collect()
        )
      },
    ]
  }
}
