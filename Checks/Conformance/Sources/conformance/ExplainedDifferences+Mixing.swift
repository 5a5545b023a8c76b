extension ExplainedDifference {

  static let mixing: [ExplainedDifference] = flatMap + handingOver + retrying + cancelledHandlers + unasked + zipping

  // MARK: flatMap

  private static let flatMap: [ExplainedDifference] = [
    ExplainedDifference(
      "order of flatMap's children",
      in: flatMapEntries,
      because: """
        Children are asked and cancelled in any order (row `flat-map.cancel`). The peer keeps them in \
        a dictionary; ours keeps each in a place of its own, in which another may follow it.
        """,
      .anyOrder(
        ["up0", "up1", "up2", "up3"].flatMap { name in [name] + (2...6).map { "\(name)/\($0)" } }
          .flatMap { ["\($0) is cancelled", "\($0) is asked for"] }
      )
    ),
    ExplainedDifference(
      "a cancel of flatMap after its failure",
      in: flatMapEntries,
      because: """
        Row `stream.cancel`: nothing is delivered after a cancel. In the peer a cancel after the end is \
        nothing, so a child that still sends is heard.
        """,
      .first { difference in
        difference.common.contains { $0.hasSuffix(" cancels") } && difference.peerGoesOn { $0.contains(" gets ") }
      }
    ),
    ExplainedDifference(
      "a child of flatMap that answers after the end",
      in: flatMapEntries,
      because: """
        Row `flat-map.inner-request`: a child's subscription that arrives after the end is cancelled. Nobody would \
        ever take a value from it or cancel it. The peer keeps it and asks it for values.
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
        A second subscription in an occupied slot is cancelled (row `mixing.second`), as is one of a child that has \
        finished (row `flat-map.inner-request`). The peer keeps the new one.
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
        subscribed to: row `flat-map.upstream`. The peer subscribes to it and passes its values on, after the cancel.
        """,
      .first { $0.hasEndedInLastClosure && !$0.firstOfTheirs.isEmpty }
    ),
    ExplainedDifference(
      "unlimited demand from within a value of flatMap",
      in: flatMapEntries,
      because: """
        When a value makes the downstream's demand unlimited, the children are told (row `flat-map.request-inside`): \
        they would be asked for one at a time no more. The peer never asks them again.
        """,
      .first {
        ($0.firstOfOurs.hasSuffix("is asked for unlimited") || $0.isNextValueOfOurs) && $0.hasBecomeUnlimitedWithin
      }
    ),
    ExplainedDifference(
      "a child of flatMap that subscribes inside a value that waited",
      in: flatMapEntries,
      because: """
        An unlimited request delivers what waits, and then asks every live child for everything (row \
        `flat-map.request`). A child whose subscription has come meanwhile was asked then. Ours asks it once more with \
        the others.
        """,
      .first { $0.firstOfOurs.hasSuffix(" is asked for unlimited") && $0.hasJustBeenAsked($0.firstOfOurs) }
    ),
    ExplainedDifference(
      "values that waited when flatMap ended",
      in: flatMapEntries,
      because: """
        Nothing is delivered after a failure or a cancel. The peer delivers what waited, if that comes from a child \
        while it is asked for one more after a value that waited.
        """,
      .first { $0.firstOfTheirs.contains(" gets ") && $0.hasEndedInsideLastAsking }
    ),
    ExplainedDifference(
      "values that waited while flatMap delivered another",
      in: flatMapEntries,
      because: """
        Values that come from within a delivery that has used up the demand wait. When the downstream returns demand \
        from that delivery, ours gives them then (row `flat-map.request-inside`). In the peer they wait for a request \
        that a downstream which returns its demand never makes.
        """,
      .first {
        $0.isNextValueOfOurs && $0.hasReturnedDemandAfterNestedSend
          // In a lawless script several inner publishers wait, and the visible result of the first value may be the
          // same.
          || $0.script.manners == .lawless && $0.hasAskedForMore && $0.hasReturnedDemandAfterAnyNestedSend
      }
    ),
    ExplainedDifference(
      "asking a child of flatMap after the end",
      in: flatMapEntries,
      because: """
        After a value that waited, its child is asked for one more if it is still live (row `flat-map.request`). If \
        the downstream has cancelled or all has completed within that value, it is not, and nothing else that waits is \
        delivered. The peer goes on.
        """,
      .first {
        $0.hasEnded && $0.endedInLastValue
          && ($0.firstOfTheirs.contains(" is asked for ") || $0.firstOfTheirs.contains(" gets "))
      }
    ),
    ExplainedDifference(
      "a child of flatMap that finishes without a subscription",
      in: flatMapEntries,
      because: """
        A child that finishes is dropped, and the rest is completed if it was the last (row `flat-map.finish`). The \
        peer goes on waiting for the subscription of one that has finished without.
        """,
      .first {
        $0.lastCommon.hasSuffix(" finishes") && $0.firstOfOurs.hasSuffix(" gets finished")
          && !$0.firstOfTheirs.hasSuffix(" gets finished")
      }
    ),
    ExplainedDifference(
      "a request from within flatMap's completion",
      in: flatMapEntries,
      because: """
        A request inside a value only adds to the demand, one after the completion is ignored (row \
        `flat-map.request-inside`). If the completion comes inside a value, a request inside it is both. Ours ignores \
        it: only a child without manners could send a value for it, after the completion. The peer counts it.
        """,
      .first { $0.firstOfTheirs.contains(" gets ") && $0.hasRequestedInsideCompletion }
    ),
    ExplainedDifference(
      "the upstream of a flatMap after a child has failed",
      in: flatMapEntries,
      because: """
        After a child's failure ours has let go of the upstream, without a cancel: the two might hold one another \
        forever. A child without manners that finishes then does not make it ask for another. Row `flat-map.failure` \
        says that the upstream is not cancelled.
        """,
      .first {
        $0.script.manners == .lawless && $0.lastCommon.hasSuffix(" finishes")
          && $0.common.contains { $0.contains(" fails with ") }
          && $0.firstOfTheirs.hasSuffix(" is asked for max(1)")
      }
    ),
    ExplainedDifference(
      "a request inside a value of flatMap, after another inside the same",
      in: flatMapEntries,
      because: """
        A request inside a value only adds to the demand (row `flat-map.request-inside`). When a second value has come \
        and gone inside the first, the peer takes that for the end of both: it passes the request on or, after the \
        end, ignores it, which shows when a child without manners sends more, or a subject sends inside the same \
        value.
        """,
      .first {
        $0.hasRequestedAfterNestedValue
          && ($0.firstOfTheirs.contains(" gets ") || $0.firstOfTheirs.contains(" is asked for "))
          || $0.hasRequestedAfterNestedValueAndEnd
          || $0.hasSentAfterUnlimitedRequest && $0.firstOfTheirs.contains(" gets ")
      }
    ),
    ExplainedDifference(
      "what children of flatMap do when all are asked or cancelled",
      in: flatMapEntries,
      because: """
        The order of flatMap's children is unspecified, as above; where there are several, as an upstream without \
        manners may make it, what each does comes in that order, too. What the second does may make the peer trap.
        """,
      .first { $0.script.manners == .lawless && ($0.isInsideFanOut || $0.cancelsInOtherOrder) }
    ),
    ExplainedDifference(
      "a child of flatMap that finishes inside its value",
      in: flatMapEntries,
      because: """
        The child of a value that waited is asked for one more if it is still live (row `flat-map.request`). One that \
        has finished inside that value is not. The peer asks it.
        """,
      .first { $0.firstOfTheirs.contains(" is asked for ") && $0.hasFinishedInsideLastValue(of: $0.firstOfTheirs) }
    ),
    ExplainedDifference(
      "a finish inside a value of flatMap while others wait",
      in: flatMapEntries,
      because: """
        flatMap does not finish while values wait (row `flat-map.finish`). An unlimited request makes the \
        peer take all that wait at once: it finishes inside the first, and delivers the others afterwards.
        """,
      .first {
        $0.lastCommon.hasSuffix(" finishes") && $0.firstOfTheirs.hasSuffix(" gets finished") && $0.isNextValueOfOurs
      }
    ),
    ExplainedDifference(
      "a request inside what a request asks of flatMap's children",
      in: flatMapEntries.union(["Sequence.flatMap one by one"]),
      because: """
        Whoever requests while a child or the upstream is asked for one more, because a value that waited was \
        delivered, adds to the demand of the loop that delivers them: it goes on when that call returns. In the peer \
        the second loop delivers inside the first. The order of the values is the same.
        """,
      .first {
        ($0.firstOfTheirs.contains(" gets ") || $0.firstOfTheirs.contains(" is asked for "))
          && $0.lastRequestIsInsideAnother
      }
    ),
    ExplainedDifference(
      "calls from within the children's cancel when flatMap fails",
      in: flatMapEntries,
      because: """
        Row `flat-map.failure-inside`: while the children are cancelled because the upstream has failed, another \
        failure traps. In the peer a cancel and a request do, too.
        """,
      .first { $0.firstOfTheirs == "TRAP" && $0.isInsideCancelAfterFailure }
    ),
  ]

  private static let flatMapEntries: Set<String> = [
    "flatMap one at a time", "flatMap infallible", "flatMap infallible child", "flatMap infallible upstream",
    "sequence flatMap one at a time", "PassthroughSubject flatMap", "CurrentValueSubject flatMap",
  ]

  // MARK: Rows of Threads.md

  private static let cancelledHandlers: [ExplainedDifference] = [
    ExplainedDifference(
      "a cancel inside the handler of a catch",
      in: catchEntries,
      because: """
        A cancel from inside the handler of a catch reaches what the handler returns: row \
        `mixing.cancel-inside-closure`. The peer loses the cancel, and passes on what the returned publisher sends, \
        then or when it is asked.
        """,
      .first { difference in
        !difference.firstOfTheirs.isEmpty
          && (difference.hasEndedInLastClosure
            || difference.hasEndedInClosure && difference.firstOfTheirs.contains(" gets "))
      }
    ),
    ExplainedDifference(
      "a failure after a cancel inside subscribing to what a handler returned",
      in: catchEntries,
      because: """
        Row `catch.states`: what comes after a cancel is ignored. The peer traps at a source that fails again.
        """,
      .first { difference in
        difference.firstOfTheirs == "TRAP" && difference.endsWithEventOutOfTurn
          && difference.common.contains { $0.hasSuffix(" cancels") }
      }
    ),
    ExplainedDifference(
      "a failure after a switch away from a catch",
      in: ["switchToLatest catch"],
      because: """
        The same. The switch cancels the catch, without a line here if what the handler returned has sent no \
        subscription yet.
        """,
      .first { difference in
        difference.firstOfTheirs == "TRAP" && difference.endsWithEventOutOfTurn
          && difference.common.count { $0.contains("up2 sends ") } > 1
      }
    ),
    ExplainedDifference(
      "what a handler returns answers after a cancel",
      in: catchEntries,
      because: """
        A subscription of what the handler of a catch returned is cancelled if it arrives after a cancel: row \
        `mixing.cancel-inside-closure`. The peer keeps it. It also serves a request after the cancel, so that a source \
        that has failed and still sends has demand.
        """,
      .first {
        $0.lastCommon.contains(" gives subscription ") && $0.firstOfOurs.hasSuffix("is cancelled")
          || $0.firstOfOurs == "TRAP" && $0.endsWithEventOutOfTurn && $0.hasRequestedAfterCancel
      }
    ),
  ]

  private static let catchEntries: Set<String> = [
    "catch", "catch itself", "catch infallible", "catch sequence", "catch mixture", "tryCatch", "tryCatch sequence",
    "tryCatch mixture", "retry catch", "catch retry", "catch catch", "catch append", "tryCatch retry", "timeout, catch",
    "Future catch", "Sequence.tryMap catch", "Fail catch Empty", "PassthroughSubject catch",
    "CurrentValueSubject catch", "switchToLatest catch",
  ]

  private static let unasked: [ExplainedDifference] = [
    ExplainedDifference(
      "replaceEmpty sends unasked",
      in: ["replaceEmpty replaceError", "tryFilter replaceError replaceEmpty"],
      because: """
        replaceEmpty asks its upstream for everything, and so sends values that nobody asked for. They are passed on \
        by the consumers of this package (row `threads.unasked`). The peer's end the process.
        """,
      .first { $0.firstOfTheirs.contains("TRAP") }
    )
  ]

  private static let zipping: [ExplainedDifference] = [
    ExplainedDifference(
      "demand that comes while zip hands its subscription over",
      in: [
        "zip of one share", "zip of one share, one delayed", "Sequence.zip", "Record zip", "PassthroughSubject zip",
        "CurrentValueSubject zip", "PassthroughSubject zip with itself", "CurrentValueSubject zip with itself", "zip",
        "zip transform", "zip3", "zip3 transform", "zip4", "zip4 transform", "zip with itself", "zip mixture",
        "flatMap zip", "zip flatMap", "switchToLatest zip", "zip zip", "zip append", "zip merge", "merge zip",
        "retry zip", "catch zip", "zip prefix", "zip of a collection", "ZipEach", "ZipEach transform", "ZipEach3",
        "ZipEach3 transform", "ZipEach4", "ZipEach4 transform", "ZipEach of five", "ZipEach with itself",
        "ZipEach mixture", "flatMap ZipEach", "ZipEach flatMap", "switchToLatest ZipEach", "ZipEach ZipEach",
        "ZipEach append", "ZipEach merge", "merge ZipEach", "retry ZipEach", "catch ZipEach", "ZipEach prefix",
      ],
      because: """
        Requests made while the downstream is given its subscription are gathered and passed on as one when that call \
        has returned, to all upstreams alike (row `zip.request`). The model returns a part of it to an upstream that \
        sends meanwhile, though nobody has asked it for anything. The demand is the same.
        """,
      .first { difference in
        [difference.firstOfOurs, difference.firstOfTheirs].contains {
          $0.contains(" is asked for ") || $0.contains(" is returned ")
        }
          && !difference.common.isEmpty
          // A subscription passes through several operators, when the last of the upstreams has sent its own.
          && (difference.ancestors(of: difference.common.endIndex - 1) + difference.common.suffix(1)).contains {
            $0.contains(" gets subscription ") || $0.contains(" gives subscription ")
          }
      }
    )
  ]

  // MARK: append, catch, switchToLatest

  private static let handingOver: [ExplainedDifference] = [
    ExplainedDifference(
      "demand that is returned to a publisher whose turn is over",
      in: [
        "append publisher", "append itself", "append sequence", "append elements", "Concatenate", "prepend publisher",
        "prepend append", "append append", "append in append", "append retry", "catch", "catch itself",
        "catch infallible", "catch sequence", "catch mixture", "tryCatch", "tryCatch sequence", "tryCatch mixture",
        "catch catch", "catch append", "switchToLatest", "switchToLatest one child", "switchToLatest infallible",
        "switchToLatest infallible child", "switchToLatest infallible upstream", "switchToLatest mixture",
        "map switchToLatest", "sequence switchToLatest", "switchToLatest append", "switchToLatest catch", "retry catch",
        "retry switchToLatest",
      ],
      because: """
        When the next publisher has taken over by the time a value's delivery returns demand, the sender will not use \
        it: ours asks the next one for it (rows `catch.demand`, `switch-to-latest.values` and `append.events`). The \
        peer returns it to the sender, where it is lost, and the pipeline stands still.
        """,
      .first {
        $0.hasReturnedAfterHandingOver && !$0.firstOfTheirs.contains(" is asked for ")
          && ($0.firstOfOurs.contains(" is asked for ") || $0.firstOfOurs.contains(" gets "))
      }
    ),
    ExplainedDifference(
      "events from within the cancel of the child before",
      in: [
        "switchToLatest", "switchToLatest one child", "switchToLatest infallible", "switchToLatest mixture",
        "map switchToLatest", "sequence switchToLatest", "switchToLatest append", "switchToLatest catch",
        "retry switchToLatest",
      ],
      because: """
        While the child before is cancelled, it is not the current one any more, and the next one is awaited: what the \
        old one sends is dropped, and a completion of the outer publisher waits. The peer changes its state after the \
        cancel only: it completes and then subscribes to the next child, or traps. Row `switch-to-latest.upstream` \
        gives the order of the calls, not of the state.
        """,
      .first {
        $0.isInsideCancelByReplacement || $0.hasSwitchedInsideCancel || $0.hasSentInsideCancel
      }
    ),
  ]

  // MARK: retry

  private static let retrying: [ExplainedDifference] = [
    ExplainedDifference(
      "demand that is returned to a retry that has ended",
      in: retryEntries,
      because: """
        Demand returned from a value goes to the current upstream, if any (row `retry.demand`). After a completion or \
        a cancel within that value there is none. The peer asks the one there was.
        """,
      .first {
        $0.firstOfTheirs.contains(" is asked for ") && $0.lastCommon.contains(" returns ") && $0.endedInLastValue
      }
    ),
    ExplainedDifference(
      "retry ends while it subscribes",
      in: retryEntries,
      because: """
        A failure within the repeated subscribe is noted, and answered when that call returns (row `retry.failure`). \
        If all ends before, nothing is subscribed to any more. The peer does it, and cancels what it gets.
        """,
      .first { $0.firstOfTheirs.hasSuffix(" is subscribed to") && $0.hasEnded }
    ),
  ]

  private static let retryEntries: Set<String> = [
    "retry", "retry forever", "retry negative", "retry tryMap", "retry retry", "retry catch", "catch retry",
    "retry append", "append retry", "retry switchToLatest", "tryCatch retry",
  ]
}

extension Difference {

  /// The last common line, without its indentation.
  fileprivate var lastCommon: Substring { (common.last ?? "").drop { $0 == " " } }

  private static func isEnd(_ line: String) -> Bool {
    let text = line.drop { $0 == " " }
    guard text.hasPrefix("down") else { return false }
    return text.hasSuffix(" cancels") || text.hasSuffix(" gets finished") || text.contains(" gets failure")
  }

  private static func isValue(_ line: String) -> Bool {
    let text = line.drop { $0 == " " }
    return text.hasPrefix("down") && text.contains(" gets ") && !isEnd(line) && !text.contains(" gets subscription")
  }

  /// Whether a subscriber has cancelled or received a completion.
  fileprivate var hasEnded: Bool { common.contains(where: Self.isEnd) }

  /// The last value that a subscriber received. If the last line is a `returns`, the value it belongs to.
  private var lastValue: Int? {
    guard let last = common.last else { return nil }
    guard last.contains(" returns ") else { return common.lastIndex(where: Self.isValue) }
    return common.lastIndex { Self.isValue($0) && Self.depth($0) == Self.depth(last) }
  }

  /// Whether the end came inside a closure.
  fileprivate var hasEndedInClosure: Bool {
    common.indices.contains { common[$0].contains("closure ") && inside($0).contains(where: Self.isEnd) }
  }

  /// Whether the end came inside the closure that was called last, with no event outside of it since then.
  fileprivate var hasEndedInLastClosure: Bool {
    common.indices.contains { index in
      common[index].contains("closure ") && inside(index).endIndex == common.endIndex
        && inside(index).contains(where: Self.isEnd)
    }
  }

  /// Whether the end came inside the value that was delivered last.
  fileprivate var endedInLastValue: Bool {
    common.indices.contains { index in
      Self.isValue(common[index]) && justEnded(index)?.inside.contains(where: Self.isEnd) == true
    }
  }

  /// Whether demand was returned from any value with a nested send in it.
  fileprivate var hasReturnedDemandAfterAnyNestedSend: Bool {
    common.indices.contains { index in
      Self.isValue(common[index]) && inside(index).contains { $0.contains(" sends ") }
        && common[inside(index).endIndex...].first?.contains(" returns ") == true
    }
  }

  /// Whether ours requests one more, and the peer does not.
  fileprivate var hasAskedForMore: Bool {
    firstOfOurs.hasSuffix(" is asked for max(1)") && !firstOfTheirs.contains(" is asked for ")
  }

  /// Whether the actor of a line has finished inside the value that was delivered last.
  fileprivate func hasFinishedInsideLastValue(of line: Substring) -> Bool {
    let name = line.prefix { $0 != " " }
    return common.indices.contains { index in
      Self.isValue(common[index])
        && justEnded(index)?.inside.contains { $0.drop { $0 == " " } == "\(name) finishes" } == true
    }
  }

  /// Whether the last event is a request inside a call that requests from an upstream, inside another request.
  fileprivate var lastRequestIsInsideAnother: Bool {
    guard let last = common.indices.last, common[last].contains(" requests ") else { return false }
    let ancestors = ancestors(of: last)
    let requester = common[last].drop { $0 == " " }.prefix { $0 != " " }
    // Signals for another subscriber, and its subscription, may come in between.
    let call = ancestors.first { !$0.contains("down") || $0.split(separator: " ").contains(requester) }
    // A request to a sequence is visible in the closure that the sequence calls.
    return call.map { $0.contains(" is asked for ") || $0.contains("closure ") } == true
      && ancestors.contains { $0.contains(" requests ") }
  }

  /// Returns the lines inside the callback at an index, and the following line if that contains the returned demand.
  /// Returns `nil` if another event has followed.
  private func justEnded(_ index: Int) -> (inside: ArraySlice<String>, rest: ArraySlice<String>)? {
    let inside = inside(index)
    let rest = common[inside.endIndex...]
    return rest.isEmpty || rest.count == 1 && rest.first!.contains(" returns ") ? (inside, rest) : nil
  }

  /// Whether a subscriber has requested inside its completion.
  fileprivate var hasRequestedInsideCompletion: Bool {
    common.indices.contains { index in
      Self.isEnd(common[index]) && inside(index).contains { $0.contains(" requests ") }
    }
  }

  /// Whether the last event is a request inside a value with another value nested in it.
  fileprivate var hasRequestedAfterNestedValue: Bool {
    guard let request = common.lastIndex(where: { $0.contains(" requests ") }),
      inside(request).endIndex == common.endIndex
    else { return false }
    return isAfterNestedValue(request)
  }

  /// Whether there was such a request after a subscriber had cancelled or got a completion.
  fileprivate var hasRequestedAfterNestedValueAndEnd: Bool {
    common.indices.contains { index in
      common[index].contains(" requests ") && common[..<index].contains(where: Self.isEnd) && isAfterNestedValue(index)
    }
  }

  /// Whether the last event is a send inside a value, after such a request for unlimited demand inside the same value.
  fileprivate var hasSentAfterUnlimitedRequest: Bool {
    guard lastCommon.contains(" sends ") else { return false }
    return common.indices.contains { index in
      common[index].hasSuffix(" requests unlimited") && isAfterNestedValue(index)
        && ancestors(of: index).first.map { ancestors(of: common.endIndex - 1).contains($0) } == true
    }
  }

  /// Returns whether a line is inside a value with another value nested in it.
  private func isAfterNestedValue(_ line: Int) -> Bool {
    common[..<line].indices.contains { index in
      Self.isValue(common[index]) && inside(index).contains { $0 == common[line] }
        && inside(index).contains(where: Self.isValue)
    }
  }

  /// Whether the traces differ first inside an unlimited request or a cancel, after several inner publishers were
  /// created.
  fileprivate var isInsideFanOut: Bool {
    common.filter { $0.contains("closure ") }.count > 1
      && common.indices.contains { index in
        (common[index].hasSuffix(" requests unlimited") || common[index].hasSuffix(" cancels"))
          && inside(index).endIndex == common.endIndex && !inside(index).isEmpty
      }
  }

  /// Whether a subscriber has requested something after its cancel.
  fileprivate var hasRequestedAfterCancel: Bool {
    guard let cancel = common.firstIndex(where: { $0.hasSuffix(" cancels") }) else { return false }
    return common[cancel...].contains { $0.contains(" requests ") && Self.actor($0) == Self.actor(common[cancel]) }
  }

  /// Whether a failure makes each side cancel another inner publisher first.
  fileprivate var cancelsInOtherOrder: Bool {
    lastCommon.contains(" fails with ") && firstOfOurs.hasSuffix(" is cancelled")
      && firstOfTheirs.hasSuffix(" is cancelled")
  }

  /// Whether ours delivers a value, and the peer does something else or nothing.
  fileprivate var isNextValueOfOurs: Bool { Self.isValue(String(firstOfOurs)) && firstOfOurs != firstOfTheirs }

  /// Whether the last event is inside a request to an inner publisher, and a subscriber ended there.
  fileprivate var hasEndedInsideLastAsking: Bool {
    guard let asking = common.lastIndex(where: { $0.contains(" is asked for ") }) else { return false }
    return inside(asking).endIndex == common.endIndex && inside(asking).contains(where: Self.isEnd)
  }

  /// Returns whether a line has occurred before inside the unlimited request that it belongs to.
  fileprivate func hasJustBeenAsked(_ line: Substring) -> Bool {
    guard let request = common.lastIndex(where: { $0.hasSuffix(" requests unlimited") }) else { return false }
    return inside(request).contains { $0.drop { $0 == " " } == line }
  }

  /// Whether a subscriber returned unlimited demand, or requested it inside a value.
  fileprivate var hasBecomeUnlimitedWithin: Bool {
    common.indices.contains { index in
      common[index].hasSuffix(" returns unlimited")
        || common[index].hasSuffix(" requests unlimited") && ancestors(of: index).contains(where: Self.isValue)
    }
  }

  /// Whether demand came inside the value delivered last, with a nested send in it.
  fileprivate var hasReturnedDemandAfterNestedSend: Bool {
    common.indices.contains { index in
      guard Self.isValue(common[index]), let (inside, rest) = justEnded(index) else { return false }
      return inside.contains { $0.contains(" sends ") }
        && (inside + rest).contains { $0.contains(" returns ") || $0.contains(" requests ") }
    }
  }

  /// Whether demand was returned from a value inside which its sender was followed by another publisher.
  fileprivate var hasReturnedAfterHandingOver: Bool {
    guard lastCommon.contains(" returns "), let value = lastValue else { return false }
    return inside(value).contains {
      $0.hasSuffix(" finishes") || $0.contains(" fails with ") || $0.contains(" sends ")
    }
  }

  /// Whether the traces differ first inside a cancel that an inner publisher of an upstream has caused.
  fileprivate var isInsideCancelByReplacement: Bool {
    common.indices.contains { index in
      common[index].hasSuffix(" is cancelled") && inside(index).endIndex == common.endIndex && !inside(index).isEmpty
    }
  }

  /// Whether a publisher was subscribed to inside a cancel.
  fileprivate var hasSwitchedInsideCancel: Bool {
    common.indices.contains { index in
      common[index].hasSuffix(" is cancelled") && inside(index).contains { $0.hasSuffix(" is subscribed to") }
    }
  }

  /// Whether something was sent inside a cancel.
  fileprivate var hasSentInsideCancel: Bool {
    common.indices.contains { index in
      common[index].hasSuffix(" is cancelled") && inside(index).contains { $0.contains(" sends ") }
    }
  }

  /// Whether the traces differ first inside a cancel that a failure has caused.
  fileprivate var isInsideCancelAfterFailure: Bool {
    common.indices.contains { index in
      common[index].hasSuffix(" is cancelled") && inside(index).endIndex == common.endIndex
        && ancestors(of: index).contains { $0.contains(" fails with ") }
    }
  }
}
