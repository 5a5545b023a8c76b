import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var mapping: [Entry] {
    [
      Entry("map", traits: .closures, exemptFrom: [.noSecondCancel]) { stage in
        stage.present(
          stage.source().map { value -> Int in
            stage.note(closure: "transform(\(value))")
            return value * 10
          }
        )
      },
      Entry("tryMap", traits: .closures) { stage in
        stage.present(
          stage.source().tryMap { value -> Int in
            stage.note(closure: "transform(\(value))")
            if value == 5 { throw Fault(code: value) }
            return value * 10
          }
        )
      },
    ]
  }
}
