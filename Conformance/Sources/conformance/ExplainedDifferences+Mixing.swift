extension ExplainedDifference {

  static let mixing: [ExplainedDifference] = flatMap + handingOver + retrying

  // MARK: flatMap

  private static let flatMap: [ExplainedDifference] = [
    ExplainedDifference(
      "order of flatMap's children",
      in: flatMapEntries,
      because: """
        The order in which children are asked and cancelled is unspecified (mixing.md, FlatMap). The peer keeps them in \
        a dictionary; ours keeps them in the order of their arrival.
        """,
      .anyOrder(
        ["up0", "up1", "up2", "up3"].flatMap { name in [name] + (2...6).map { "\(name)/\($0)" } }
          .flatMap { ["\($0) is cancelled", "\($0) is asked for"] }
      )
    ),
    ExplainedDifference(
      "a child of flatMap that answers after the end",
      in: flatMapEntries,
      because: """
        A child's subscription that arrives after the end is cancelled, says mixing.md of a cancel, FlatMap (u): nobody \
        would ever take a value from it or cancel it. The peer keeps it and asks it for values.
        """,
      .first {
        $0.lastCommon.contains(" gives subscription ") && $0.firstOfOurs.hasSuffix("is cancelled")
          && $0.firstOfTheirs.contains("is asked for") && $0.hasEnded
      }
    ),
    ExplainedDifference(
      "a second subscription of a child of flatMap",
      in: flatMapEntries,
      because: """
        A second subscription in an occupied slot is cancelled (mixing.md, family rule 9), as is one of a child that has \
        finished, whose slot is free (u). The peer keeps the new one.
        """,
      .first { difference in
        let name = difference.lastCommon.prefix { $0 != " " }
        return difference.lastCommon.contains(" gives subscription ")
          && difference.firstOfOurs.hasSuffix("is cancelled")
          && difference.firstOfTheirs.contains("is asked for")
          && (!difference.lastCommon.hasSuffix("subscription 1")
            || difference.common.contains { $0.hasSuffix("\(name) finishes") })
      }
    ),
    ExplainedDifference(
      "the end inside flatMap's transform",
      in: flatMapEntries,
      because: """
        When the downstream cancels, or the upstream ends, while the transform runs, the child that it returns is not \
        subscribed to: nothing of it would be wanted. mixing.md, FlatMap, says what is done before the transform is \
        called and no more. The peer subscribes to it and passes its values on, after the cancel.
        """,
      .first { $0.hasEndedInLastClosure && !$0.firstOfTheirs.isEmpty }
    ),
    ExplainedDifference(
      "unlimited demand from within a value of flatMap",
      in: flatMapEntries,
      because: """
        When a value makes the downstream's demand unlimited, the children are told, which mixing.md, FlatMap, calls a \
        permissible improvement (u): they would be asked for one at a time no more. The peer never asks them again.
        """,
      .first { $0.firstOfOurs.hasSuffix("is asked for unlimited") && $0.hasBecomeUnlimitedWithin }
    ),
  ]

  private static let flatMapEntries: Set<String> = [
    "flatMap", "flatMap none", "flatMap one child", "flatMap infallible", "flatMap infallible child",
    "flatMap infallible upstream", "flatMap Just", "flatMap sequence", "flatMap mixture", "sequence flatMap",
    "sequence flatMap sequence",
  ]

  // MARK: append, catch, switchToLatest

  private static let handingOver: [ExplainedDifference] = []

  // MARK: retry

  private static let retrying: [ExplainedDifference] = []
}

extension Difference {

  /// The last line that is equal, without its indentation.
  fileprivate var lastCommon: Substring { (common.last ?? "").drop { $0 == " " } }

  /// Whether a subscriber has cancelled or got a completion.
  fileprivate var hasEnded: Bool { common.contains(where: Self.isEnd) }

  private static func isEnd(_ line: String) -> Bool {
    let text = line.drop { $0 == " " }
    return text.hasPrefix("down")
      && (text.hasSuffix(" cancels") || text.hasSuffix(" gets finished") || text.contains(" gets failure"))
  }

  private static func depth(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  /// Whether that happened inside the closure that was called last, and all since then did.
  fileprivate var hasEndedInLastClosure: Bool {
    guard let closure = common.lastIndex(where: { $0.contains("closure ") }) else { return false }
    let inside = common[(closure + 1)...]
    return inside.allSatisfy { Self.depth($0) > Self.depth(common[closure]) } && inside.contains(where: Self.isEnd)
  }

  /// Whether a subscriber returned unlimited demand, or requested it inside a value.
  fileprivate var hasBecomeUnlimitedWithin: Bool {
    common.contains { $0.hasSuffix(" returns unlimited") }
      || common.indices.contains { index in
        common[index].hasSuffix(" requests unlimited") && ancestors(of: index).contains { $0.contains(" gets ") }
      }
  }

  /// The callbacks that a line is inside of, the innermost first.
  private func ancestors(of index: Int) -> [String] {
    var depth = Self.depth(common[index])
    var ancestors: [String] = []
    for line in common[..<index].reversed() where Self.depth(line) < depth {
      depth = Self.depth(line)
      ancestors.append(line)
    }
    return ancestors
  }
}
