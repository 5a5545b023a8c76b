import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  /// The slices that complete where the peer's continue, from the library or from the model: see ``modelled(by:)``.
  static func slicing(by provider: Provider) -> [Entry] {
    [
      Entry("prefix by the model", parameters: [0...4]) { stage in
        stage.present(slice(provider, stage.source(), 0..<stage.parameter(0)))
      },
      Entry("output(at:) by the model", parameters: [0...4]) { stage in
        let index = stage.parameter(0)
        stage.present(slice(provider, stage.source(), index..<index + 1))
      },
      Entry("output(in:) by the model", parameters: [0...3, 0...4]) { stage in
        let start = stage.parameter(0)
        stage.present(slice(provider, stage.source(), start..<start + stage.parameter(1)))
      },
      Entry("prefixUntilOutputFrom by the model", sources: 2, exemptFrom: endsWithoutBeginning) { stage in
        let upstream = stage.source()
        stage.present(prefix(provider, upstream, until: stage.source()))
      },

      // Several in a chain.
      Entry("prefix prefix", parameters: [0...3, 0...3]) { stage in
        let inner = slice(provider, stage.source(), 0..<stage.parameter(0))
        stage.presentRow(slice(provider, inner, 0..<stage.parameter(1)))
      },
      Entry("prefix filter prefix", parameters: [1...4, 1...3], traits: .closures) { stage in
        let inner = slice(provider, stage.source(), 0..<stage.parameter(0)).filter(stage.isEven)
        stage.presentRow(slice(provider, inner, 0..<stage.parameter(1)))
      },
      Entry("dropFirst prefix", parameters: [0...2, 0...3], exemptFrom: losesEarlyCancels) { stage in
        stage.presentRow(slice(provider, stage.source().dropFirst(stage.parameter(0)), 0..<stage.parameter(1)))
      },
      Entry("prefix dropFirst", parameters: [0...4, 0...2], exemptFrom: losesEarlyCancels) { stage in
        stage.presentRow(slice(provider, stage.source(), 0..<stage.parameter(0)).dropFirst(stage.parameter(1)))
      },
      Entry("prefix collect(count)", parameters: [0...4, 1...3]) { stage in
        stage.presentRow(slice(provider, stage.source(), 0..<stage.parameter(0)).collect(stage.parameter(1)))
      },
      Entry("collect(count) prefix", parameters: [1...3, 0...3]) { stage in
        let inner = stage.source().collect(stage.parameter(0))
        stage.presentRow(slice(provider, inner, 0..<stage.parameter(1)))
      },
      Entry("prefix last", parameters: [0...3]) { stage in
        stage.presentRow(slice(provider, stage.source(), 0..<stage.parameter(0)).last())
      },
      Entry("prefix tryMap", parameters: [0...3], traits: .closures) { stage in
        stage.presentRow(slice(provider, stage.source(), 0..<stage.parameter(0)).tryMap(stage.tryTransform))
      },
      Entry("tryMap prefix", parameters: [0...3], traits: .closures) { stage in
        stage.presentRow(slice(provider, stage.source().tryMap(stage.tryTransform), 0..<stage.parameter(0)))
      },
      Entry("prefix replaceError", parameters: [0...3]) { stage in
        stage.presentRow(slice(provider, stage.source(), 0..<stage.parameter(0)).replaceError(with: 77))
      },
      Entry("print prefix", parameters: [0...3], traits: .closures) { stage in
        stage.presentRow(slice(provider, stage.source().print(to: LineStream(stage)), 0..<stage.parameter(0)))
      },
      Entry("prefix prefixUntilOutputFrom", sources: 2, parameters: [1...4], exemptFrom: endsWithoutBeginning) {
        stage in
        let upstream = slice(provider, stage.source(), 0..<stage.parameter(0))
        stage.presentRow(prefix(provider, upstream, until: stage.source()))
      },
      Entry("prefixUntilOutputFrom prefix", sources: 2, parameters: [1...4], exemptFrom: endsWithoutBeginning) {
        stage in
        let upstream = stage.source()
        stage.presentRow(slice(provider, prefix(provider, upstream, until: stage.source()), 0..<stage.parameter(0)))
      },
      Entry("prefixUntilOutputFrom itself", sources: 1, exemptFrom: endsWithoutBeginning) { stage in
        let source = stage.source()
        stage.present(prefix(provider, source, until: source))
      },
    ]
  }

  private static func slice<P: Publisher>(
    _ provider: Provider,
    _ upstream: P,
    _ range: Range<Int>
  ) -> AnyPublisher<P.Output, P.Failure> {
    switch provider {
    case .library: Publishers.Output(upstream: upstream, range: range).eraseToAnyPublisher()
    case .model: SpecModels.Slice(upstream, range).eraseToAnyPublisher()
    }
  }

  private static func prefix<P: Publisher, Other: Publisher>(
    _ provider: Provider,
    _ upstream: P,
    until other: Other
  ) -> AnyPublisher<P.Output, P.Failure> {
    switch provider {
    case .library: upstream.prefix(untilOutputFrom: other).eraseToAnyPublisher()
    case .model: SpecModels.PrefixUntilOutput(upstream, other).eraseToAnyPublisher()
    }
  }
}
