import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  /// The law that an operator cannot obey if it sends the upstream's own subscription downstream: it does not see the
  /// second cancel.
  static let transparent: Set<Law> = [.noSecondCancel]

  static var mapping: [Entry] {
    [
      Entry("map", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().map(stage.transform))
      },
      Entry("tryMap", traits: .closures) { stage in
        stage.present(stage.source().tryMap(stage.tryTransform))
      },
      Entry("mapKeyPath", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source(stage.probe).map(\.own))
      },
      Entry("mapKeyPath 2", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source(stage.probe).map(\.own, \.plusSeven))
      },
      Entry("mapKeyPath 3", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source(stage.probe).map(\.own, \.plusSeven, \.plusHundred))
      },
      Entry("mapError", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(
          stage.source().mapError { fault -> Fault in
            stage.note(closure: "transform(\(fault))")
            return Fault(code: fault.code * 10)
          }
        )
      },
      Entry("setFailureType", traits: .infallible, exemptFrom: transparent) { stage in
        stage.present(stage.infallibleSource().setFailureType(to: Fault.self))
      },
      Entry("replaceNil", exemptFrom: transparent) { stage in
        stage.present(stage.source { $0.isMultiple(of: 3) ? nil : $0 }.replaceNil(with: 77))
      },
      Entry("scan", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().scan(100, stage.sum))
      },
      Entry("tryScan", traits: .closures) { stage in
        stage.present(stage.source().tryScan(100, stage.trySum))
      },

      // Two that fuse into one.
      Entry("map map", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().map(stage.transform).map { stage.sum($0, 1) })
      },
      Entry("map tryMap", traits: .closures) { stage in
        stage.present(stage.source().map { stage.sum($0, 1) }.tryMap(stage.tryTransform))
      },
      Entry("tryMap map", traits: .closures) { stage in
        stage.present(stage.source().tryMap(stage.tryTransform).map { stage.sum($0, 1) })
      },
      Entry("tryMap tryMap", traits: .closures) { stage in
        stage.present(stage.source().tryMap { try stage.trySum(1, $0) }.tryMap(stage.tryTransform))
      },
      Entry("setFailureType setFailureType", traits: .infallible, exemptFrom: transparent) { stage in
        stage.present(
          stage.infallibleSource().setFailureType(to: Fault.self).setFailureType(to: Never.self)
        )
      },

      // Neighbours that must not fuse.
      Entry("scan scan", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(stage.source().scan(0, stage.sum).scan(1000, stage.sum))
      },
      // `tryScan` keeps its subscription after a completion, by row `own-subscription.releases-upstream`.
      Entry("tryScan tryScan", traits: .closures, exemptFrom: [.release]) { stage in
        stage.presentRow(stage.source().tryScan(0, stage.trySum).tryScan(0, stage.trySum))
      },
      Entry("tryMap mapError", traits: .closures) { stage in
        stage.presentRow(
          stage.source().tryMap(stage.tryTransform).mapError { error -> Fault in
            stage.note(closure: "transform(\(error))")
            return Fault(code: 99)
          }
        )
      },
      Entry("tryScan tryMap", traits: .closures) { stage in
        stage.presentRow(stage.source().tryScan(0, stage.sum).tryMap(stage.tryTransform))
      },
    ]
  }
}
