@_spi(Diagrams) import CombineTesting

extension Operator {

  static let changing = Group("Change each element") {
    Operator(
      "map",
      "a--b-c--~",
      parameters: [.choice(letterTransforms)],
      code: "$0[0].map { {to} }"
    ) { $0[0].map($1[letterTransforms]) }
    Operator(
      "tryMap",
      "a--b-c--~",
      parameters: [.choice(letterPredicates, 1)],
      code: """
        $0[0].tryMap { letter in
          let isBad = [letter].contains { {where} }
          if isBad { throw MarbleError() }
          return letter.uppercased()
        }
        """
    ) { context, settings in
      context[0].tryMap { letter in
        let isBad = [letter].contains(where: settings[letterPredicates])
        if isBad { throw MarbleError() }
        return letter.uppercased()
      }
    }
    Operator("compactMap", "1--a-2-b-~", code: "$0[0].compactMap { Int($0) }") { context, _ in
      context[0].compactMap { Int($0) }
    }
    Operator(
      "replaceNil",
      "1--a-2-b-~",
      parameters: [.count("with", 0, in: 0...9)],
      code: "$0[0].map { Int($0) }.replaceNil(with: {with})"
    ) { context, settings in
      context[0].map { Int($0) }.replaceNil(with: settings.count("with"))
    }
    Operator(
      "scan",
      of: Int.self,
      "1--2--3--~",
      parameters: [.count("from", 0, in: 0...9), .choice(numberOperations)],
      code: "$0[0].scan({from}) { {with} }"
    ) { context, settings in
      context[0].scan(settings.count("from"), settings[numberOperations])
    }
    Operator(
      "tryScan",
      of: Int.self,
      "1--2--3--~",
      parameters: [.count("limit", 4, in: 1...99)],
      code: """
        $0[0].tryScan(0) { sum, number in
          if sum + number > {limit} { throw MarbleError() }
          return sum + number
        }
        """
    ) { context, settings in
      context[0].tryScan(0) { sum, number in
        if sum + number > settings.count("limit") { throw MarbleError() }
        return sum + number
      }
    }
    Operator(
      "enumerated",
      "a--b-c--~",
      parameters: [.count("initial", 0, in: 0...9)],
      code: #"$0[0].enumerated(initial: {initial}).map { "\($0.index)\($0.element)" }"#
    ) { context, settings in
      context[0].enumerated(initial: settings.count("initial")).map { "\($0.index)\($0.element)" }
    }
    Operator("pairwise", "a--b-c--d-~", code: "$0[0].pairwise().map { $0.0 + $0.1 }") { context, _ in
      context[0].pairwise().map { $0.0 + $0.1 }
    }
  }
}
