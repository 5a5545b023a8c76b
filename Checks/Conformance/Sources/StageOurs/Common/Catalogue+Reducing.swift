import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var reducing: [Entry] {
    [
      Entry("reduce", traits: .closures) { stage in
        stage.present(stage.source().reduce(100, stage.sum))
      },
      Entry("tryReduce", traits: .closures) { stage in
        stage.present(stage.source().tryReduce(100, stage.trySum))
      },
      Entry("min", traits: .closures) { stage in
        stage.present(stage.source(stage.probe).min())
      },
      Entry("max", traits: .closures) { stage in
        stage.present(stage.source(stage.probe).max())
      },
      Entry("minBy", traits: .closures) { stage in
        stage.present(stage.source().min(by: stage.isBefore))
      },
      Entry("maxBy", traits: .closures) { stage in
        stage.present(stage.source().max(by: stage.isBefore))
      },
      Entry("tryMin", traits: .closures) { stage in
        stage.present(stage.source().tryMin(by: stage.tryIsBefore))
      },
      Entry("tryMax", traits: .closures) { stage in
        stage.present(stage.source().tryMax(by: stage.tryIsBefore))
      },
      Entry("count") { stage in
        stage.present(stage.source().count())
      },
      Entry("collect") { stage in
        stage.present(stage.source().collect())
      },
      Entry("collect(count)", parameters: [-1...4]) { stage in
        stage.present(stage.source().collect(stage.parameter(0)))
      },
      Entry("allSatisfy", traits: .closures) { stage in
        stage.present(stage.source().allSatisfy(stage.isSmall))
      },
      Entry("tryAllSatisfy", traits: .closures) { stage in
        stage.present(stage.source().tryAllSatisfy(stage.tryIsSmall))
      },
      Entry("contains", traits: .closures) { stage in
        stage.present(stage.source { stage.probe($0 % 4) }.contains(stage.probe(3)))
      },
      Entry("containsWhere", traits: .closures) { stage in
        stage.present(stage.source().contains { !stage.isSmall($0) })
      },
      Entry("tryContainsWhere", traits: .closures) { stage in
        stage.present(stage.source().tryContains { try !stage.tryIsSmall($0) })
      },

      // Several in a chain.
      Entry("collect(count) collect(count)", parameters: [1...3, 1...3]) { stage in
        stage.presentRow(stage.source().collect(stage.parameter(0)).collect(stage.parameter(1)))
      },
      Entry("filter collect(count)", parameters: [1...3], traits: .closures) { stage in
        stage.presentRow(stage.source().filter(stage.isEven).collect(stage.parameter(0)))
      },
      Entry("collect(count) tryMap", parameters: [1...3], traits: .closures) { stage in
        stage.presentRow(stage.source().collect(stage.parameter(0)).tryMap { try stage.tryTransform($0[0]) })
      },
      Entry("collect(count) scan count", parameters: [1...3], traits: .closures) { stage in
        stage.presentRow(
          stage.source().collect(stage.parameter(0)).scan(0) { stage.sum($0, $1.count) }.count()
        )
      },
      Entry("min replaceEmpty", traits: .closures, exemptFrom: givesUnasked) { stage in
        stage.presentRow(stage.source().min(by: stage.isBefore).replaceEmpty(with: 77))
      },
      Entry("tryReduce replaceError", traits: .closures) { stage in
        stage.presentRow(stage.source().tryReduce(0, stage.trySum).replaceError(with: 77))
      },
      Entry("reduce reduce", traits: .closures) { stage in
        stage.presentRow(stage.source().reduce(0, stage.sum).reduce(1000, stage.sum))
      },
    ]
  }
}
