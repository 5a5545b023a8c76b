import Scripts
import StageOurs

extension ExplainedDifference {

  static let timing: [ExplainedDifference] = [
    ExplainedDifference(
      "throttle asks upstream last",
      in: entries { $0.contains("throttle") },
      because: """
        timing.md, throttle, "Order at subscription": the downstream has its subscription before the upstream is asked, \
        as Combine was measured to do; the peer asks first.
        """,
      .anyOrder(["gets subscription", "is asked for unlimited"])
    ),
    ExplainedDifference(
      "debounce asks nothing of an upstream that is over",
      in: entries { $0.contains("debounce") },
      because: """
        timing.md, debounce, row "subscription": where the downstream has cancelled inside its callback, not asking \
        upstream any more is fine; a completion at that place is the same case.
        """,
      .first {
        $0.firstOfTheirs.hasSuffix("is asked for unlimited") && $0.wasOver(inside: "gets subscription Debounce")
      }
    ),
    ExplainedDifference(
      "measureInterval asks nothing of an upstream that is over",
      in: entries { $0.contains("measureInterval") },
      because: """
        timing.md, "Common life cycle": a request after a cancel or a completion is nothing. So is demand that is \
        returned from a value during which either happened; the peer asks an upstream that is gone.
        """,
      .first {
        $0.firstOfTheirs.contains("is asked for") && $0.common.last!.contains(" returns ")
          && $0.common.contains {
            $0.hasSuffix("finishes") || $0.contains("fails with") || $0.hasSuffix("is cancelled")
          }
      }
    ),
    ExplainedDifference(
      "buffer keeps a failure until the downstream has its subscription",
      in: entries { $0.contains("buffer") },
      because: """
        contracts.md: a subscriber gets its subscription before anything else. What the upstream sends inside the first \
        request, or before the downstream has returned from taking its subscription, waits until then.
        """,
      .first {
        $0.firstOfTheirs.contains("gets failure")
          && ($0.firstOfOurs.contains("gets failure")
            || $0.firstOfOurs.contains("gets subscription Buffer"))
      }
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
      "subscribe(on:) lets a cancel through inside a request",
      in: entries { $0.contains("subscribe(on:)") },
      because: """
        timing.md, subscribe(on:): a cancel from inside a request on the same thread traps in the peer only [P]; not \
        trapping is allowed, and a synchronous upstream with a downstream that has had enough needs it.
        """,
      .first { $0.firstOfTheirs == "TRAP" && $0.firstOfOurs.hasSuffix("is cancelled") }
    ),
    ExplainedDifference(
      "order of a PassthroughSubject's or CurrentValueSubject's subscribers",
      in: entriesOfSeveralSubscribers,
      because: """
        The peer keeps a subject's subscribers in a set, whose order is not that of their arrival; ours serves them in \
        the order of their arrival. Entries with the stage's own subject compare the rest exactly.
        """,
      .anyOrder(["gets", "returns"])
    ),
    ExplainedDifference(
      "autoconnect cancels a connection that its only subscriber has left",
      in: entries { $0.contains("share") || $0.contains("autoconnect") },
      because: """
        timing.md, autoconnect: a cancel from inside receive(subscription:), before there is a connection, changes no \
        count in the peer [P], and then nobody can cancel the connection any more. A lost cancel is harmful: ours \
        cancels it as soon as it is made.
        """,
      .first { $0.firstOfOurs.hasSuffix("is cancelled") && $0.common.contains { $0.hasSuffix("cancels") } }
    ),
  ]

  private static func entries(_ isMeant: (String) -> Bool) -> Set<String> {
    Set(Contestant.ours.profiles.map(\.name).filter(isMeant))
  }

  /// What has a subject of the library's with several subscribers.
  private static var entriesOfSeveralSubscribers: Set<String> {
    entries { $0.contains("share") || $0 == "makeConnectable" || $0 == "autoconnect makeConnectable" }
      .union([
        "multicast PassthroughSubject", "multicast current value", "autoconnect current value", "multicast twice",
      ])
  }
}

extension Difference {

  /// Whether what was the same ends inside or right after a callback in which its subscriber cancelled, or its upstream
  /// completed.
  fileprivate func wasOver(inside callback: String) -> Bool {
    guard let start = common.lastIndex(where: { $0.hasSuffix(callback) }) else { return false }
    return common[start...].contains {
      $0.hasSuffix("cancels") || $0.hasSuffix("finishes") || $0.contains("fails with")
    }
  }
}
