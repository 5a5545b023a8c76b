import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var errorHandling: [Entry] { replacing + retrying + recoveries }

  // MARK: catch

  private static var replacing: [Entry] {
    [
      Entry("catch", sources: 2, traits: .closures) { stage in
        let source = stage.source()
        let replacement = stage.source()
        stage.present(
          source.catch { error in
            stage.note(closure: "handler(\(error))")
            return replacement
          }
        )
      },
      Entry("catch itself", traits: .closures) { stage in
        let source = stage.source()
        stage.present(
          source.catch { error in
            stage.note(closure: "handler(\(error))")
            return source
          }
        )
      },
      Entry("catch infallible", sources: 1, traits: .closures, exemptFrom: chained) { stage in
        stage.present(
          stage.source().catch { error in
            stage.note(closure: "handler(\(error))")
            return Just(error.code)
          }
        )
      },
      Entry("catch sequence", parameters: [0...4], traits: .closures, exemptFrom: chained) { stage in
        let count = stage.parameter(0)
        stage.present(
          stage.source().catch { error in
            stage.note(closure: "handler(\(error))")
            return numbers(count)
          }
        )
      },
      Entry("catch mixture", sources: 2, traits: .closures, exemptFrom: chained) { stage in
        let source = stage.source()
        let replacement = stage.source()
        stage.present(
          source.catch { error in
            stage.note(closure: "handler(\(error))")
            return anything(error.code, replacement)
          }
        )
      },
      Entry("tryCatch", sources: 2, traits: .closures) { stage in
        let source = stage.source()
        let replacement = stage.source()
        stage.present(
          source.tryCatch { error in
            stage.note(closure: "handler(\(error))")
            if error.code == 2 { throw Fault(code: 8) }
            return replacement
          }
        )
      },
      Entry("tryCatch sequence", parameters: [0...4], traits: .closures, exemptFrom: chained) {
        stage in
        let count = stage.parameter(0)
        stage.present(
          stage.source().tryCatch { error in
            stage.note(closure: "handler(\(error))")
            if error.code == 2 { throw Fault(code: 8) }
            return numbers(count)
          }
        )
      },
      Entry("tryCatch mixture", sources: 2, traits: .closures, exemptFrom: chained) { stage in
        let source = stage.source()
        let replacement = stage.source()
        stage.present(
          source.tryCatch { error in
            stage.note(closure: "handler(\(error))")
            if error.code == 1 { throw Fault(code: 8) }
            return anything(error.code, replacement)
          }
        )
      },
    ]
  }

  // MARK: retry

  private static var retrying: [Entry] {
    [
      Entry("retry", parameters: [0...4]) { stage in
        stage.present(stage.source().retry(stage.parameter(0)))
      },
      Entry("retry forever") { stage in
        stage.present(Publishers.Retry(upstream: stage.source(), retries: nil))
      },
      Entry("retry negative") { stage in
        stage.present(stage.source().retry(-1))
      },
      // A failure during the subscription: the whole chain of retries runs inside one call.
      Entry("retry tryMap", parameters: [0...3], traits: .closures, exemptFrom: chained) { stage in
        stage.present(
          stage.source().tryMap { value -> Int in
            stage.note(closure: "transform(\(value))")
            if value % 3 == 0 { throw Fault(code: value) }
            return value * 10
          }
          .retry(stage.parameter(0))
        )
      },
      Entry("retry sequence then failure", parameters: [0...3, 0...3], exemptFrom: chained) { stage in
        stage.present(
          numbers(stage.parameter(1)).append(Fail(error: Fault(code: 1))).retry(stage.parameter(0))
        )
      },
      Entry("retry Fail", parameters: [0...3], exemptFrom: chained) { stage in
        stage.present(Fail<Int, Fault>(error: Fault(code: 1)).retry(stage.parameter(0)))
      },
      Entry("retry retry", parameters: [0...2, 0...2], exemptFrom: chained) { stage in
        stage.present(stage.source().retry(stage.parameter(0)).retry(stage.parameter(1)))
      },
    ]
  }

  // MARK: One after the other

  private static var recoveries: [Entry] {
    [
      Entry("retry catch", sources: 2, parameters: [0...3], traits: .closures, exemptFrom: chained) {
        stage in
        let source = stage.source()
        let replacement = stage.source()
        stage.present(
          source.retry(stage.parameter(0)).catch { error in
            stage.note(closure: "handler(\(error))")
            return replacement
          }
        )
      },
      Entry("catch retry", sources: 2, parameters: [0...3], traits: .closures, exemptFrom: chained) {
        stage in
        let source = stage.source()
        let replacement = stage.source()
        stage.present(
          source.catch { error in
            stage.note(closure: "handler(\(error))")
            return replacement
          }
          .retry(stage.parameter(0))
        )
      },
      Entry("catch catch", sources: 3, traits: .closures, exemptFrom: chained) { stage in
        let source = stage.source()
        let replacements = [stage.source(), stage.source()]
        stage.present(
          source.catch { error in
            stage.note(closure: "first handler(\(error))")
            return replacements[0]
          }
          .catch { error in
            stage.note(closure: "second handler(\(error))")
            return replacements[1]
          }
        )
      },
      Entry(
        "retry switchToLatest",
        sources: 2,
        parameters: [0...2],
        exemptFrom: chained.union(afterRetriedOuterFailure)
      ) { stage in
        let child = stage.source()
        stage.present(stage.source { _ in child }.switchToLatest().retry(stage.parameter(0)))
      },
      Entry("retry append", sources: 2, parameters: [0...2], exemptFrom: chained) { stage in
        stage.present(stage.source().append(stage.source()).retry(stage.parameter(0)))
      },
      Entry("append retry", sources: 2, parameters: [0...2], exemptFrom: chained) { stage in
        stage.present(stage.source().append(stage.source().retry(stage.parameter(0))))
      },
      Entry(
        "switchToLatest catch",
        sources: 3,
        traits: .closures,
        exemptFrom: chained.union(afterOuterFailure)
      ) { stage in
        let child = stage.source()
        let replacement = stage.source()
        stage.present(
          stage.source { _ in
            child.catch { error in
              stage.note(closure: "handler(\(error))")
              return replacement
            }
          }
          .switchToLatest()
        )
      },
      Entry("catch append", sources: 3, traits: .closures, exemptFrom: chained) { stage in
        let source = stage.source().append(stage.source())
        let replacement = stage.source()
        stage.present(
          source.catch { error in
            stage.note(closure: "handler(\(error))")
            return replacement
          }
        )
      },
      Entry("tryCatch retry", sources: 2, parameters: [0...2], traits: .closures, exemptFrom: chained) { stage in
        let source = stage.source()
        let replacement = stage.source()
        stage.present(
          source.tryCatch { error in
            stage.note(closure: "handler(\(error))")
            if error.code == 2 { throw Fault(code: 8) }
            return replacement
          }
          .retry(stage.parameter(0))
        )
      },
    ]
  }
}
