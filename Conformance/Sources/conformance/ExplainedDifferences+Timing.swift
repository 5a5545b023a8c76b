import Scripts
import StageOurs

extension ExplainedDifference {

  static let timing: [ExplainedDifference] = [
    ExplainedDifference(
      "throttle asks upstream last",
      in: entriesOfThrottle,
      because: """
        timing.md, throttle, "Order at subscription": the downstream has its subscription before the upstream is asked, \
        as Combine was measured to do; the peer asks first. Compared with a model as well, exactly.
        """,
      .anyOrder(["gets subscription", "is asked for unlimited"])
    ),
    ExplainedDifference(
      "what happens to throttle while it subscribes",
      in: entriesOfThrottle,
      because: """
        timing.md, throttle, "Order at subscription": what somebody does inside one of the two callbacks finds the other \
        one done or not, depending on their order. The peer loses a value sent inside the request. Compared with a model \
        as well, exactly.
        """,
      .first { $0.isInsideSubscribing && $0.common.contains { $0.contains("gets subscription") } }
    ),
    ExplainedDifference(
      "nothing is asked of an upstream that is over",
      in: entries {
        $0.contains("debounce") || $0.contains("measureInterval")
      },
      because: """
        timing.md, debounce, row "subscription": where the downstream has cancelled inside its callback, not asking \
        upstream is fine. "Common life cycle": a request after a cancel or a completion is nothing, and so is demand \
        returned from a value during which either happened. The peer asks an upstream that is gone.
        """,
      .first { $0.peerAsksUpstreamThatIsOver }
    ),
    ExplainedDifference(
      "no timeout after a cancel",
      in: entries { $0.contains("timeout") },
      because: """
        timing.md, timeout: after a cancel everything in flight is dropped. That holds for a cancel from inside the \
        upstream's cancel or the closure of the error, too; the peer delivers a completion after it.
        """,
      .first {
        guard let cancel = $0.common.lastIndex(where: { $0.hasSuffix("cancels") }) else { return false }
        // In the action of the timer, after which no other action or step has begun.
        return
          ($0.firstOfTheirs.contains("gets finished") || $0.firstOfTheirs.contains("gets failure")
          || $0.firstOfTheirs.hasSuffix("closure customError"))
          && $0.common[..<cancel].last.map { $0.hasSuffix("is cancelled") || $0.hasSuffix("customError") } == true
      }
    ),
    ExplainedDifference(
      "timeout needs no cancel of its timers",
      in: entries { $0.hasPrefix("timeout") && $0.hasSuffix("with timers that go on") },
      because: """
        timing.md, timeout, "Arming": only one timer is valid at a time. Where a scheduler's tokens have no effect, the \
        peer takes an outdated timer for the valid one and ends too early.
        """,
      .first {
        $0.firstOfTheirs.hasSuffix("is cancelled") && $0.common.count { $0.contains(", then every ") } > 1
      }
    ),
    ExplainedDifference(
      "buffer keeps a failure until the downstream has its subscription",
      in: entries { $0.contains("buffer") },
      because: """
        contracts.md: a subscriber gets its subscription before anything else. A failure that the upstream sends inside \
        the first request, or before the downstream has returned from taking its subscription, waits until then.
        """,
      .first { $0.isInsideSubscribing && $0.common.last!.contains("fails with") }
    ),
    ExplainedDifference(
      "buffer stops a batch at a cancel",
      in: entries { $0.contains("buffer") },
      because: """
        timing.md, buffer, "Drain": that a batch goes on after a cancel is marked [P], seen in the peer only. A value \
        after a cancel is harmful, so the batch stops.
        """,
      .first { $0.firstOfTheirs.contains(" gets ") && $0.common.contains { $0.hasSuffix("cancels") } }
    ),
    ExplainedDifference(
      "buffer cancels upstream once",
      in: entries { $0.contains("buffer") },
      because: """
        timing.md, buffer, row "cancel": upstream is cancelled once. The peer does it again if an overflow has done it.
        """,
      .first { difference in
        difference.firstOfTheirs.hasSuffix("is cancelled")
          && difference.common.contains { $0.hasSuffix(difference.theirActor + " is cancelled") }
      }
    ),
    ExplainedDifference(
      "subscribe(on:) lets a cancel through inside a request",
      in: entries { $0.contains("subscribe(on:)") },
      because: """
        timing.md, subscribe(on:): a cancel from inside a request on the same thread traps in the peer only [P]; not \
        trapping is allowed, and a synchronous upstream with a downstream that has had enough needs it.
        """,
      .first { $0.firstOfTheirs == "TRAP" && $0.firstOfOurs.hasSuffix("is cancelled") }
    ),
    ExplainedDifference(
      "autoconnect cancels a connection that its only subscriber has left",
      in: entriesOfAutoconnect,
      because: """
        timing.md, autoconnect: a cancel from inside receive(subscription:), before there is a connection, changes no \
        count in the peer [P], and then nobody can cancel the connection any more. A lost cancel is harmful: ours \
        cancels it as soon as it is made, and connects again for the next subscriber.
        """,
      .first { $0.hasCancelInsideSubscribing }
    ),
    ExplainedDifference(
      "autoconnect counts each subscriber once",
      in: entriesOfAutoconnect,
      because: """
        timing.md, autoconnect: that a repeated cancel of one subscription counts twice while others are attached is \
        marked [P]; counting each once is allowed and safer.
        """,
      .first { $0.firstOfTheirs.hasSuffix("is cancelled") && $0.endsWithRepeatedCancel }
    ),
    ExplainedDifference(
      "order of a PassthroughSubject's or CurrentValueSubject's subscribers",
      in: entriesOfLibrarySubjects,
      because: """
        The peer keeps a subject's subscribers in a set, whose order is not that of their arrival and changes from run \
        to run; ours serves them in the order of their arrival. Compared with the stage's own subject as well, exactly.
        """,
      .anyOrder(["gets", "returns"])
    ),
    ExplainedDifference(
      "what happens inside a subject's delivery to several",
      in: entriesOfLibrarySubjects,
      because: """
        The same: what one subscriber does inside its callback finds others served or not, depending on the order. \
        Compared with the stage's own subject as well, exactly.
        """,
      .first { $0.isInsideDeliveryToSeveral }
    ),
  ]

  private static func entries(_ isMeant: (String) -> Bool) -> Set<String> {
    Set(Contestant.ours.profiles.map(\.name).filter(isMeant))
  }

  private static var entriesOfThrottle: Set<String> {
    entries { $0.contains("throttle") && !$0.contains("model") && !$0.hasPrefix("debounce") }
  }

  private static var entriesOfAutoconnect: Set<String> {
    entries { $0.contains("share") || $0.contains("autoconnect") || $0 == "multicast twice" }
  }

  /// What has a subject of the library's with several subscribers.
  private static var entriesOfLibrarySubjects: Set<String> {
    entries { $0.contains("share") || $0.contains("akeConnectable") || $0.contains("current value") }
      .subtracting(["multicast shared subject"])
      .union(["multicast PassthroughSubject", "multicast twice"])
  }
}

extension Difference {

  private static func depth(_ line: some StringProtocol) -> Int { line.prefix { $0 == " " }.count }

  /// Who the first line of theirs is about, without the time.
  fileprivate var theirActor: Substring { Self.actor(firstOfTheirs) }

  private static func actor(_ line: some StringProtocol) -> Substring {
    let words = Substring(line).split(separator: " ")
    return words.first { !$0.hasSuffix(":") } ?? ""
  }

  /// Whether the last step of the script, in what is the same, is a subscriber that is attached.
  fileprivate var isInsideSubscribing: Bool {
    guard let step = common.last(where: { Self.depth($0) == 0 }) else { return false }
    return step.contains("subscribe down")
  }

  /// Whether the peer asks an upstream that has completed or that was cancelled.
  fileprivate var peerAsksUpstreamThatIsOver: Bool {
    firstOfTheirs.contains("is asked for")
      && common.contains { line in
        Self.actor(line.drop { $0 == " " }) == theirActor
          && (line.hasSuffix("is cancelled") || line.hasSuffix("finishes") || line.contains("fails with"))
      }
  }

  /// Whether a subscriber cancels before the call that attaches it has returned.
  fileprivate var hasCancelInsideSubscribing: Bool {
    common.indices.contains { index in
      guard common[index].hasSuffix("cancels") else { return false }
      // What the line is inside of.
      var depth = Self.depth(common[index])
      return common[..<index].reversed().contains { line in
        guard Self.depth(line) < depth else { return false }
        depth = Self.depth(line)
        return line.contains("subscribe down")
      }
    }
  }

  /// Whether a subscriber that cancels at the end of what is the same has cancelled before.
  fileprivate var endsWithRepeatedCancel: Bool {
    guard let last = common.last(where: { $0.hasSuffix("cancels") }) else { return false }
    let who = Self.actor(last.drop { $0 == " " })
    return common.count { $0.hasSuffix("\(who) cancels") } > 1
  }

  /// Whether it is inside what a source sends, or a connection does, to a subject with several subscribers.
  fileprivate var isInsideDeliveryToSeveral: Bool {
    guard Set(common.filter { $0.contains("gets subscription") }).count > 1 else { return false }
    return [firstOfOurs, firstOfTheirs, common.last![...]].contains { $0.contains(" gets ") }
  }
}
