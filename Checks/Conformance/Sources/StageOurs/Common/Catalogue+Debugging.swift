import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var debugging: [Entry] {
    [
      Entry("print", parameters: [0...1], traits: .closures) { stage in
        stage.present(stage.source().print(stage.parameter(0) == 0 ? "" : "prefix", to: LineStream(stage)))
      },
      Entry("print each write", traits: .closures) { stage in
        stage.present(stage.source().print(to: NotingStream(stage)))
      },
      Entry("handleEvents", traits: .closures) { stage in
        stage.present(stage.handlingEvents(of: stage.source()))
      },
      Entry("breakpoint", traits: .closures, exemptFrom: transparent) { stage in
        stage.present(
          stage.source().breakpoint(
            receiveSubscription: { subscription in
              stage.note(closure: "receiveSubscription(\(subscription))")
              return false
            },
            receiveOutput: { value in
              stage.note(closure: "receiveOutput(\(value))")
              return false
            },
            receiveCompletion: { completion in
              stage.note(closure: "receiveCompletion(\(completion))")
              return false
            }
          )
        )
      },
      // With a failure, both libraries trap.
      Entry("breakpointOnError", exemptFrom: transparent) { stage in
        stage.present(stage.source().breakpointOnError())
      },
      Entry("assertNoFailure", exemptFrom: transparent) { stage in
        stage.present(stage.source().assertNoFailure())
      },
      Entry("encode", traits: .closures) { stage in
        stage.present(stage.source().encode(encoder: NumberCoder(stage: stage)))
      },
      Entry("decode", traits: .closures) { stage in
        stage.present(stage.source { "\($0)" }.decode(type: Int.self, decoder: NumberCoder(stage: stage)))
      },

      // Several in a chain.
      Entry("handleEvents handleEvents", traits: .closures) { stage in
        stage.presentRow(stage.handlingEvents(of: stage.handlingEvents(of: stage.source())))
      },
      Entry("print handleEvents", traits: .closures) { stage in
        stage.presentRow(stage.handlingEvents(of: stage.source().print("", to: LineStream(stage))))
      },
      Entry("encode handleEvents", traits: .closures) { stage in
        stage.presentRow(stage.handlingEvents(of: stage.source().encode(encoder: NumberCoder(stage: stage))))
      },
      Entry("handleEvents tryMap", traits: .closures) { stage in
        stage.presentRow(stage.handlingEvents(of: stage.source()).tryMap(stage.tryTransform))
      },
    ]
  }
}

extension Stage {

  /// Uses all closures of the operator.
  fileprivate func handlingEvents<P: Publisher>(of publisher: P) -> Publishers.HandleEvents<P> {
    publisher.handleEvents(
      receiveSubscription: { self.note(closure: "receiveSubscription(\($0))") },
      receiveOutput: { self.note(closure: "receiveOutput(\($0))") },
      receiveCompletion: { self.note(closure: "receiveCompletion(\($0))") },
      receiveCancel: { self.note(closure: "receiveCancel()") },
      receiveRequest: { self.note(closure: "receiveRequest(\($0))") }
    )
  }
}
