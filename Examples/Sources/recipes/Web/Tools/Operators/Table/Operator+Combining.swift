@_spi(Diagrams) import CombineTesting

extension Operator {

  private static let first = "a---b-----c----~"
  private static let second = "--1----2-----~"
  private static let third = "----x-----y--~"

  static let combining = Group("Combine several publishers") {
    Operator("merge", first, second, code: "$0[0].merge(with: $0[1])") { context, _ in
      context[0].merge(with: context[1])
    }
    Operator("combineLatest", first, second, code: "$0[0].combineLatest($0[1]) { $0 + $1 }") { context, _ in
      context[0].combineLatest(context[1]) { $0 + $1 }
    }
    Operator("zip", first, second, code: "$0[0].zip($0[1]) { $0 + $1 }") { context, _ in
      context[0].zip(context[1]) { $0 + $1 }
    }
    Operator("[…].merge()", id: "merge-all", first, second, third, code: "[$0[0], $0[1], $0[2]].merge()") {
      context,
      _ in
      [context[0], context[1], context[2]].merge()
    }
    Operator(
      "[…].combineLatest()",
      id: "combineLatest-all",
      first,
      second,
      third,
      code: "[$0[0], $0[1], $0[2]].combineLatest()"
    ) { context, _ in
      [context[0], context[1], context[2]].combineLatest()
    }
    Operator("[…].zip()", id: "zip-all", first, second, third, code: "[$0[0], $0[1], $0[2]].zip()") { context, _ in
      [context[0], context[1], context[2]].zip()
    }
    Operator("withLatest(of:)", first, second, code: "$0[0].withLatest(of: $0[1]) { $0 + $1 }") { context, _ in
      context[0].withLatest(of: context[1]) { $0 + $1 }
    }
    Operator("sample(by:)", first, second, code: "$0[0].sample(by: $0[1])") { context, _ in
      context[0].sample(by: context[1])
    }
    Operator("append", "a--b-c--~", "-1--2-~", code: "$0[0].append($0.cold(1))") { context, _ in
      context[0].append(context.cold(1))
    }
    Operator("prepend", "a--b-c--~", "-1--2-~", code: "$0.cold(0).prepend($0.cold(1))") { context, _ in
      context.cold(0).prepend(context.cold(1))
    }
    Operator("amb", "---a-b-c--~", "--1---2---3-~", code: "$0[0].amb($0[1])") { context, _ in
      context[0].amb(context[1])
    }
  }
}
