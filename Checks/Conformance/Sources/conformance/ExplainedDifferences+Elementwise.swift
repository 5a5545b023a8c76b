extension ExplainedDifference {

  static let elementwise: [ExplainedDifference] = [
    ExplainedDifference(
      "the predicate gets the value published last",
      in: ["removeDuplicatesBy pairs", "tryRemoveDuplicates pairs"],
      because: """
        Row `remove-duplicates.last`: a new value is compared with the last one that was published. The peer \
        compares it with the last one that it received, which may have been dropped.
        """,
      .first { difference in
        guard let ours = Call(difference.firstOfOurs), let theirs = Call(difference.firstOfTheirs) else { return false }
        return ours.name == "isSame" && theirs.name == "isSame" && ours.arguments.last == theirs.arguments.last
          && difference.common.reversed().first { $0.contains(" gets ") && !$0.contains("subscription") }
            .map { $0.hasSuffix("gets \(ours.arguments[0])") } ?? false
      }
    ),
    ExplainedDifference(
      "a value is remembered after its predicate",
      in: [
        "removeDuplicates", "removeDuplicatesBy", "removeDuplicatesBy pairs", "tryRemoveDuplicates",
        "tryRemoveDuplicates pairs", "removeDuplicates scan",
      ],
      because: """
        Row `remove-duplicates.last`: when the predicate is called, the new value is not published. A value \
        that a source sends from inside the predicate, against the protocol, is compared with the old one; the peer \
        remembers the new one first.
        """,
      .first { difference in
        difference.script.manners == .lawless
          && difference.common.indices.contains { index in
            difference.common[index].drop { $0 == " " }.hasPrefix("closure ")
              && difference.inside(index).contains { $0.contains(" sends ") }
          }
      }
    ),
    ExplainedDifference(
      "print is silent about no demand",
      in: ["print each write"],
      because: """
        Row `print.lines`: nothing is logged if the downstream returns no demand. The peer logs "request max: (0) \
        (synchronous)". (The entry "print" leaves that line of the peer's out and compares the rest.)
        """,
      .first { difference in
        difference.firstOfTheirs == #"write("")"#
          && difference.theirLines(1) == ["closure write(request max: (0) (synchronous))"]
      }
    ),
    ExplainedDifference(
      "a slice ends with its last value",
      in: ["prefix", "output(at:)", "output(in:)"],
      because: """
        Row `output.values`: the end comes together with the last value of the range. The peer's comes with the next \
        value. (The entries "by the model" compare everything else.)
        """,
      .first { difference in
        guard let end = difference.lastEvent(before: .ours), end.line.isValue,
          difference.firstOfOurs.hasSuffix("is cancelled")
        else {
          return false
        }
        let count =
          switch difference.script.entry {
          case "output(at:)": 1
          default: difference.script.parameters.last
          }
        return difference.common.count { $0.drop { $0 == " " }.isValue } == count
      }
    ),
    ExplainedDifference(
      "a replacement is sent once",
      in: replacing,
      because: """
        Rows `replace-empty.once` and `replace-error.once`: the replacement is delivered at most once, and not after a \
        cancel. The peer delivers it again at each request.
        """,
      .first { difference in
        difference.common.last?.contains(" requests ") == true && difference.firstOfTheirs.isReplacement
          && difference.common.contains { $0.isReplacement || $0.hasSuffix("cancels") }
      }
    ),
    ExplainedDifference(
      "an upstream that was cancelled is not asked",
      in: ["replaceEmpty", "replaceEmpty replaceError", "filter replaceEmpty", "tryFilter replaceError replaceEmpty"],
      because: """
        Row `replace-empty.request`: the upstream is not asked for everything if the downstream cancels as soon as it \
        gets its subscription. The peer asks, after the cancel.
        """,
      .first { difference in
        guard let last = difference.lastEvent(before: .theirs) else { return false }
        return last.line.contains(" gets subscription ") && last.inside.contains { $0.hasSuffix("cancels") }
          && difference.firstOfTheirs.hasSuffix("is asked for unlimited")
      }
    ),
    ExplainedDifference(
      "demand that is returned pays for the replacement",
      in: replacing,
      because: """
        Row `replace-error.pending`: demand that the downstream returns counts. If the upstream fails while the \
        downstream has a value, for which it then returns demand, ours sends the replacement. The peer waits for a \
        request, which may never come.
        """,
      .first { difference in
        difference.firstOfOurs.isReplacement && difference.common.last?.contains(" returns ") == true
          && difference.lastEvent(before: .ours)?.inside.contains { $0.isEnd || $0.hasSuffix(" is cancelled") } == true
      }
    ),
    ExplainedDifference(
      "a result that is cancelled is not sent",
      in: reductions,
      because: """
        Row `reducing.cancel`: the peer forgets a cancel that comes when the upstream has \
        finished and the result waits for demand, and sends the result after it. Nothing is sent after a cancel.
        """,
      .first { difference in
        difference.common.last?.contains(" requests ") == true && difference.firstOfTheirs.contains(" gets ")
          && difference.common.contains { $0.hasSuffix("cancels") }
      }
    ),
    ExplainedDifference(
      "nothing follows a cancel that comes from inside the last value",
      in: reductions.union(replacing).union([
        "collect(count)", "filter collect(count)", "collect(count) collect(count)",
      ]),
      because: """
        Rows `slicing.cancel-inside` and `own-subscription.cancel-during-end`: if D cancels while it handles the last \
        value, no completion follows. The peer finishes.
        """,
      .first { difference in
        guard let last = difference.lastEvent(before: .theirs) else { return false }
        return last.line.isValue && last.inside.contains { $0.hasSuffix("cancels") }
          && difference.firstOfTheirs.hasSuffix("gets finished")
      }
    ),
    ExplainedDifference(
      "nothing follows a cancel that comes while the upstream is cancelled",
      in: reductions.union(throwing).union([
        "prefix", "output(at:)", "output(in:)", "prefixUntilOutputFrom", "dropUntilOutputFrom",
        "dropUntilOutputFrom prefixUntilOutputFrom",
      ]),
      because: """
        The operator ends: the upstream is cancelled, and then the downstream is told (rows `slicing.cancel-inside` \
        and `own-subscription.cancel-during-end`). If it cancels between the two, it is told nothing more. The peer \
        tells it.
        """,
      .first { difference in
        difference.lastEvents { $0.hasSuffix("is cancelled") }.contains { $0.hasSuffix("cancels") }
          && (difference.firstOfTheirs.contains(" gets ")
            || difference.firstOfTheirs.hasPrefix("closure transform(fault"))
      }
    ),
    ExplainedDifference(
      "an operator ends once, though its closure ends it meanwhile",
      in: reductions.union(throwing).subtracting(["tryMap"]),
      because: """
        Row `slicing.cancel-inside`: the peer does not look at its state after a closure. If the downstream has \
        cancelled in the closure, or the upstream has completed, the peer cancels the upstream again and completes \
        again; ours does neither: nothing after an end, and no second cancel.
        """,
      .first { difference in
        let theirs = difference.firstOfTheirs
        return difference.lastEvents { $0.hasPrefix("closure ") }
          .contains { $0.hasSuffix("is cancelled") || $0.contains("gets f") || $0.isEnd }
          && (theirs.hasSuffix("is cancelled") || theirs.contains("gets f"))
      }
    ),
    ExplainedDifference(
      "late values may exceed the demand of drop(untilOutputFrom:)",
      in: ["dropUntilOutputFrom", "dropUntilOutputFrom prefixUntilOutputFrom"],
      because: """
        Row `drop-until-output.trap`: after a cancel or a completion a value that nobody \
        asked for may be on its way from another thread. The peer traps; ours drops it.
        """,
      .first { difference in
        difference.firstOfTheirs == "TRAP" && difference.common.last?.contains("up0 sends") == true
          && difference.common.contains {
            $0.hasSuffix("cancels") || $0.hasSuffix("up0 is cancelled") || $0.isEnd || $0.contains("gets f")
          }
      }
    ),
    ExplainedDifference(
      "a cancelled drop(untilOutputFrom:) is not completed by the other publisher",
      in: ["dropUntilOutputFrom"],
      because: """
        Row `drop-until-output.after-cancel`: the peer passes the other publisher's completion on after a \
        cancel. Nothing is sent after a cancel.
        """,
      .first { difference in
        difference.firstOfTheirs.contains("gets f") && difference.common.last?.isEnd == true
          && difference.common.last?.contains("up1") == true
          && difference.common.contains { $0.hasSuffix("cancels") }
      }
    ),
  ]

  /// The entries of the reducing family, which publish one result on demand.
  private static let reductions: Set<String> = [
    "reduce", "tryReduce", "min", "max", "minBy", "maxBy", "tryMin", "tryMax", "count", "collect", "allSatisfy",
    "tryAllSatisfy", "contains", "containsWhere", "tryContainsWhere", "first", "firstWhere", "tryFirstWhere", "last",
    "lastWhere", "tryLastWhere", "reduce reduce", "min replaceEmpty", "tryReduce replaceError", "dropFirst first",
    "first replaceEmpty", "prefixUntilOutputFrom first", "ignoreOutput collect", "collect(count) scan count",
  ]

  private static let replacing: Set<String> = [
    "replaceEmpty", "replaceError", "replaceEmpty replaceError", "filter replaceEmpty", "tryMap replaceError",
    "tryFilter replaceError replaceEmpty", "min replaceEmpty", "tryReduce replaceError", "dropFirst replaceError",
    "first replaceEmpty",
  ]

  /// The entries that a closure can end.
  private static let throwing: Set<String> = [
    "tryMap", "tryScan", "tryFilter", "tryCompactMap", "tryRemoveDuplicates", "tryRemoveDuplicates pairs", "encode",
    "decode", "tryMap map", "map tryMap", "tryMap tryMap", "filter tryFilter", "tryFilter filter",
    "tryFilter tryFilter", "tryCompactMap compactMap", "tryCompactMap tryCompactMap", "tryScan tryScan",
    "tryMap mapError", "tryScan tryMap", "tryMap replaceError", "tryFilter replaceError replaceEmpty",
    "encode handleEvents", "handleEvents tryMap", "collect(count) tryMap", "tryReduce replaceError", "prefixWhile",
    "tryPrefixWhile", "tryDropWhile", "prefixWhile dropWhile",
  ]
}

// MARK: Parts of a match

/// A call of a closure, as shown by a trace.
private struct Call {

  let name: Substring
  let arguments: [String]

  init?(_ line: Substring) {
    guard line.hasPrefix("closure "), line.hasSuffix(")"), let open = line.firstIndex(of: "(") else { return nil }
    name = line[..<open].dropFirst("closure ".count)
    arguments = line[open...].dropFirst().dropLast().split(separator: ", ").map(String.init)
  }
}

extension StringProtocol {

  /// Whether a subscriber receives a value.
  fileprivate var isValue: Bool {
    guard hasPrefix("down"), let verb = range(of: " gets ") else { return false }
    let what = self[verb.upperBound...]
    return what != "finished" && !what.hasPrefix("failure ") && !what.hasPrefix("subscription ")
  }

  /// Whether a subscriber receives a replacement value.
  fileprivate var isReplacement: Bool { hasSuffix(" gets 77") || hasSuffix(" gets 78") }

  private func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}

extension Difference {

  fileprivate enum Player {
    case ours, theirs
  }

  /// Returns the last common event at the depth of a player's first different line, with the lines inside it. The
  /// demand that a subscriber returned for a value is a part of the value.
  fileprivate func lastEvent(before player: Player) -> (line: Substring, inside: ArraySlice<String>)? {
    let lines = player == .ours ? ours : theirs
    let depth = Self.depth(lines[commonCount])
    let outer = common.lastIndex { Self.depth($0) <= depth && !$0.contains(" returns ") }
    guard let outer, Self.depth(common[outer]) == depth else { return nil }
    return (common[outer].drop { $0 == " " }, common[(outer + 1)...])
  }

  /// Returns the last common events of one kind at the depth of the peer's first different line, as many as follow one
  /// another there, with the lines inside them.
  fileprivate func lastEvents(of isKind: (Substring) -> Bool) -> ArraySlice<String> {
    let depth = Self.depth(theirs[commonCount])
    let before = common.lastIndex { line in
      Self.depth(line) < depth || Self.depth(line) == depth && !isKind(line.drop { $0 == " " })
    }
    return common[(before.map { $0 + 1 } ?? 0)...]
  }

  /// Returns the peer's lines after its first different one, without indentation.
  fileprivate func theirLines(_ count: Int) -> [Substring] {
    theirs[commonCount...].dropFirst().prefix(count).map { $0.drop { $0 == " " } }
  }
}
