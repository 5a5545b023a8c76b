@_spi(Diagrams) import CombineTesting

extension Operator {

  private static let numbers = "3--1-5--2-~"

  static let reducing = Group("Make one result of all elements") {
    Operator("collect()", "a--b-c--~", code: "$0[0].collect()") { context, _ in context[0].collect() }
    Operator("count", "a--b-c--~", code: "$0[0].count()") { context, _ in context[0].count() }
    Operator("min()", of: Int.self, numbers, code: "$0[0].min()") { context, _ in context[0].min() }
    Operator("max()", of: Int.self, numbers, code: "$0[0].max()") { context, _ in context[0].max() }
    Operator("min(by:)", id: "min-by", of: Int.self, numbers, code: "$0[0].min { $0 % 5 < $1 % 5 }") { context, _ in
      context[0].min { $0 % 5 < $1 % 5 }
    }
    Operator("max(by:)", id: "max-by", of: Int.self, numbers, code: "$0[0].max { $0 % 5 < $1 % 5 }") { context, _ in
      context[0].max { $0 % 5 < $1 % 5 }
    }
    Operator(
      "reduce",
      of: Int.self,
      numbers,
      parameters: [.count("from", 0, in: 0...9), .choice(numberOperations)],
      code: "$0[0].reduce({from}) { {with} }"
    ) { context, settings in
      context[0].reduce(settings.count("from"), settings[numberOperations])
    }
    Operator(
      "contains(_:)",
      of: Int.self,
      numbers,
      parameters: [.count("value", 5, in: 0...9)],
      code: "$0[0].contains({value})"
    ) { $0[0].contains($1.count("value")) }
    Operator(
      "contains(where:)",
      of: Int.self,
      numbers,
      parameters: [.choice(numberPredicates, 1)],
      code: "$0[0].contains { {where} }"
    ) { $0[0].contains(where: $1[numberPredicates]) }
    Operator(
      "allSatisfy",
      of: Int.self,
      numbers,
      parameters: [.choice(numberPredicates)],
      code: "$0[0].allSatisfy { {where} }"
    ) { $0[0].allSatisfy($1[numberPredicates]) }
    Operator("replaceEmpty", "------~", code: #"$0[0].replaceEmpty(with: "x")"#) { context, _ in
      context[0].replaceEmpty(with: "x")
    }
  }
}
