import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  /// An operator that combines the values of several publishers, which is zip or combineLatest, from the library or
  /// from the model.
  struct Joiner {

    typealias Rows<Row> = AnyPublisher<Row, Fault>

    var name: String

    /// The laws that the operator breaks by its contract, and those that it breaks additionally in a chain of
    /// operators.
    var exemptions: Set<Law> = []
    var exemptionsInChains: Set<Law> = []

    var two: (Numbers, Numbers) -> Rows<(Int, Int)>
    var three: (Numbers, Numbers, Numbers) -> Rows<(Int, Int, Int)>
    var four: (Numbers, Numbers, Numbers, Numbers) -> Rows<(Int, Int, Int, Int)>

    // The forms with a transform.
    var twoTo: (Numbers, Numbers, @escaping (Int, Int) -> Int) -> Numbers
    var threeTo: (Numbers, Numbers, Numbers, @escaping (Int, Int, Int) -> Int) -> Numbers
    var fourTo: (Numbers, Numbers, Numbers, Numbers, @escaping (Int, Int, Int, Int) -> Int) -> Numbers
  }

  /// Returns the entries of such an operator.
  static func joining(by joiner: Joiner, merge: @escaping ([Numbers]) -> Numbers) -> [Entry] {
    joinings(by: joiner) + mixtures(of: joiner, merge: merge)
  }

  /// The values have left the operator when its transform runs. The transform is a map, which publishes the result of
  /// its closure even if the downstream has received a completion or has cancelled meanwhile (row
  /// `transparent.any-order`).
  private static let joinedByMap: Set<Law> = [.nothingAfterCompletion, .nothingAfterCancel]

  private static func joinings(by joiner: Joiner) -> [Entry] {
    let name = joiner.name
    return [
      Entry(name, sources: 2, exemptFrom: joiner.exemptions) { stage in
        stage.present(joiner.two(stage.numbers(), stage.numbers()))
      },
      Entry("\(name) transform", sources: 2, traits: .closures, exemptFrom: joiner.exemptions.union(joinedByMap)) {
        stage in
        stage.present(
          joiner.twoTo(stage.numbers(), stage.numbers()) { one, two in
            stage.note(closure: "transform(\(one), \(two))")
            return one * 10 + two
          }
        )
      },
      Entry("\(name)3", sources: 3, exemptFrom: joiner.exemptions) { stage in
        stage.present(joiner.three(stage.numbers(), stage.numbers(), stage.numbers()))
      },
      Entry("\(name)3 transform", sources: 3, traits: .closures, exemptFrom: joiner.exemptions.union(joinedByMap)) {
        stage in
        stage.present(
          joiner.threeTo(stage.numbers(), stage.numbers(), stage.numbers()) { one, two, three in
            stage.note(closure: "transform(\(one), \(two), \(three))")
            return one * 100 + two * 10 + three
          }
        )
      },
      Entry("\(name)4", sources: 4, exemptFrom: joiner.exemptions) { stage in
        stage.present(joiner.four(stage.numbers(), stage.numbers(), stage.numbers(), stage.numbers()))
      },
      Entry("\(name)4 transform", sources: 4, traits: .closures, exemptFrom: joiner.exemptions.union(joinedByMap)) {
        stage in
        stage.present(
          joiner.fourTo(stage.numbers(), stage.numbers(), stage.numbers(), stage.numbers()) { one, two, three, four in
            stage.note(closure: "transform(\(one), \(two), \(three), \(four))")
            return one * 1_000 + two * 100 + three * 10 + four
          }
        )
      },
      Entry("\(name) with itself", exemptFrom: joiner.exemptions) { stage in
        let source = stage.numbers()
        stage.present(joiner.two(source, source))
      },
      Entry(
        "\(name) mixture",
        parameters: [0...5, 0...5],
        exemptFrom: joiner.exemptions.union(joiner.exemptionsInChains).union(chained)
      ) { stage in
        let source = stage.source()
        stage.present(joiner.two(anything(stage.parameter(0), source), anything(stage.parameter(1), source)))
      },
    ]
  }

  private static func mixtures(of joiner: Joiner, merge: @escaping ([Numbers]) -> Numbers) -> [Entry] {
    let name = joiner.name

    func pairs(_ a: Numbers, _ b: Numbers) -> Numbers {
      joiner.two(a, b).map { $0 * 10 + $1 }.eraseToAnyPublisher()
    }

    return [
      Entry(
        "flatMap \(name)",
        sources: 4,
        parameters: [0...2],
        traits: .closures,
        exemptFrom: joiner.exemptionsInChains.union(chained)
      ) { stage in
        let outer = stage.source()
        let children = [stage.numbers(), stage.numbers(), stage.numbers()]
        stage.present(
          outer.flatMap(maxPublishers: limit(stage.parameter(0))) { value in
            stage.note(closure: "transform(\(value))")
            return pairs(children[value % 3], children[(value + 1) % 3])
          }
        )
      },
      Entry(
        "\(name) flatMap",
        sources: 4,
        parameters: [0...2],
        traits: .closures,
        exemptFrom: joiner.exemptions.union(joiner.exemptionsInChains).union(chained.union(upstreamStays))
      ) { stage in
        let outer = [stage.source(), stage.source()]
        let children = [stage.source(), stage.source()]
        let limit = limit(stage.parameter(0))
        let mapped = outer.map { source in
          source.flatMap(maxPublishers: limit) { value in
            stage.note(closure: "transform(\(value))")
            return children[value % children.count]
          }
          .eraseToAnyPublisher()
        }
        stage.present(joiner.two(mapped[0], mapped[1]))
      },
      Entry(
        "switchToLatest \(name)",
        sources: 3,
        exemptFrom: joiner.exemptionsInChains.union(chained).union(afterOuterFailure)
      ) { stage in
        let children = [stage.numbers(), stage.numbers()]
        stage.present(stage.source { _ in pairs(children[0], children[1]) }.switchToLatest())
      },
      Entry(
        "\(name) \(name)",
        sources: 3,
        exemptFrom: joiner.exemptions.union(joiner.exemptionsInChains).union(chained)
      ) { stage in
        let inner = pairs(stage.numbers(), stage.numbers())
        stage.present(joiner.two(inner, stage.numbers()))
      },
      Entry("\(name) append", sources: 3, exemptFrom: joiner.exemptions.union(joiner.exemptionsInChains).union(chained))
      { stage in
        let appended = stage.source().append(stage.source()).eraseToAnyPublisher()
        stage.present(joiner.two(appended, stage.numbers()))
      },
      Entry("\(name) merge", sources: 3, exemptFrom: joiner.exemptions.union(joiner.exemptionsInChains).union(chained))
      { stage in
        let merged = merge([stage.numbers(), stage.numbers()])
        stage.present(joiner.two(merged, stage.numbers()))
      },
      Entry("merge \(name)", sources: 3, exemptFrom: joiner.exemptionsInChains.union(chained)) { stage in
        let joined = pairs(stage.numbers(), stage.numbers())
        stage.present(merge([joined, stage.numbers()]))
      },
      Entry(
        "retry \(name)",
        sources: 2,
        parameters: [0...2],
        exemptFrom: joiner.exemptions.union(joiner.exemptionsInChains).union(chained)
      ) { stage in
        stage.present(pairs(stage.numbers(), stage.numbers()).retry(stage.parameter(0)))
      },
      Entry(
        "catch \(name)",
        sources: 4,
        traits: .closures,
        exemptFrom: joiner.exemptions.union(joiner.exemptionsInChains).union(chained)
      ) { stage in
        let joined = (0..<2).map { _ in pairs(stage.numbers(), stage.numbers()) }
        stage.present(
          joined[0].catch { error in
            stage.note(closure: "handler(\(error))")
            return joined[1]
          }
        )
      },
      Entry(
        "\(name) prefix",
        sources: 2,
        parameters: [0...3],
        exemptFrom: joiner.exemptions.union(joiner.exemptionsInChains).union(chained)
      ) { stage in
        stage.present(pairs(stage.numbers(), stage.numbers()).prefix(stage.parameter(0)))
      },
    ]
  }
}

extension Stage {

  /// A source, erased.
  func numbers() -> Catalogue.Numbers { source().eraseToAnyPublisher() }
}
