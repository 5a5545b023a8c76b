import Scripts
import StageOurs

extension ExplainedDifference {

  /// Whether an entry is of `sink` or `assign`, or of their subscribers.
  private static func isSubscriber(_ name: String) -> Bool {
    ["sink", "Sink", "assign", "Assign"].contains(where: name.hasPrefix) && name != "assign to Published"
  }

  static let sources: [ExplainedDifference] = [
    ExplainedDifference(
      "a cancel reaches the upstream before anything is released",
      in: entries { isSubscriber($0.name) },
      because: """
        Row `threads.cancel-first`: a cancel reaches the upstream before closures and objects are released. The peer \
        releases them first.
        """,
      .anyOrder(["is cancelled", "closure is released", "object is released"])
    ),
    ExplainedDifference(
      "what a cancel of sink and assign leads to",
      in: entries { isSubscriber($0.name) },
      because: """
        Row `threads.cancel-from-the-start`: a cancel before the subscription counts, so closures and the object are \
        released; in the peer it has no effect. Row `threads.cancel-first`: the upstream is cancelled first, so what \
        is sent from inside the release of a closure comes after that.
        """,
      .first { difference in
        difference.common.contains { $0.hasSuffix(" cancels") }
          && (["is released", "is cancelled"].contains(where: difference.firstOfOurs.hasSuffix)
            || difference.common.last!.hasSuffix("is released")
            // What the release leads to may end what the cancel would have led to, or come before it.
            || difference.ancestors(of: difference.common.endIndex - 1).contains { $0.hasSuffix("is released") }
            || difference.common.last!.hasSuffix("is cancelled")
              && difference.common.contains { $0.hasSuffix("is released") })
      }
    ),
    ExplainedDifference(
      "no demand for a single value that was sent",
      in: ["Sequence.append generic", "Just.append publisher"],
      because: """
        Row `source.zero-demand`: no demand traps in Just's subscription, after its value only in the peer. An \
        operator of ours has released the subscription by then, or never had one, and so passes nothing on.
        """,
      .first { difference in
        difference.firstOfTheirs == "TRAP" && difference.common.last?.hasSuffix(" requests max(0)") == true
          && difference.ancestors(of: difference.common.endIndex - 1).contains { $0.contains(" gets ") }
      }
    ),
    ExplainedDifference(
      "order of a subject's subscribers",
      in: severalSubscribers,
      because: """
        Rows `subject.delivery` and `future.value` do not say in which order several subscriptions receive the same \
        value. The peer's order changes with the addresses of its objects; ours is that of their arrival.
        """,
      .anyPlay
    ),
    ExplainedDifference(
      "a value that a request during the subscription has already delivered",
      in: severalSubscribers,
      because: """
        Row `threads.at-rest`: no subscriber has one value twice. A request that comes while its subscription is being \
        delivered is answered with the value that is being sent; the send, or the next request, brings that once more \
        in the peer.
        """,
      .first { difference in
        guard let last = difference.indexOfLastValue(of: difference.theirActor),
          difference.common[last].hasSuffix(difference.firstOfTheirs)
        else { return false }
        let ancestors = difference.ancestors(of: last)
        return ancestors.contains { $0.contains("\(difference.theirActor) gets subscription ") }
          && ancestors.contains { $0.contains(" sends ") }
      }
    ),
    ExplainedDifference(
      "a property's value that a subscriber asks for while it is sent",
      in: entries { $0.name.contains("Published") },
      because: """
        Row `threads.at-rest`: each subscriber that asks has the stored value as its last one. A request from inside a \
        write is answered with the old value, which is the stored one; when the new one is stored, ours sends it, too. \
        The peer does not, if the write had met the subscriber without demand.
        """,
      .first { difference in
        guard let last = difference.indexOfLastValue(of: difference.ourActor),
          let stored = difference.firstOfOurs.split(separator: " ").last,
          difference.firstOfOurs == "\(difference.ourActor) gets \(stored), the property is \(stored)"
        else { return false }
        let ancestors = difference.ancestors(of: last)
        return ancestors.contains { $0.contains("\(difference.ourActor) requests ") }
          && ancestors.contains { $0.hasSuffix(" sends \(stored)") }
      }
    ),
    ExplainedDifference(
      "the end of a sequence that is cancelled at its last element",
      in: entries { ["Sequence", "Record", "Just.append", "Just.prepend"].contains(where: $0.name.hasPrefix) },
      because: """
        Row `sequence.cancel`: a cancel from inside the delivery of the last element suppresses the completion, too.
        """,
      .first { difference in
        difference.peerGoesOn { $0.hasSuffix(" gets finished") || $0.contains(" gets failure ") }
      }
    ),
    ExplainedDifference(
      "flatMap that ends inside its closure",
      in: ["Just.flatMap", "Sequence.flatMap one by one", "PassthroughSubject flatMap", "CurrentValueSubject flatMap"],
      because: """
        Rows `stream.cancel` and `stream.completion`: nothing is delivered after either. The peer subscribes to the \
        child that the closure returns all the same, and passes its values on.
        """,
      .first { difference in
        difference.peerGoesOn { $0.contains(" gets ") }
      }
    ),
    ExplainedDifference(
      "flatMap that is cancelled while it delivers what waits",
      in: ["flatMap", "flatMap infallible", "flatMap infallible child", "flatMap infallible upstream"],
      because: """
        Row `stream.cancel`: nothing is delivered after a cancel. The peer's loop goes on with the next value.
        """,
      .first { difference in
        difference.script.manners == .lawful && difference.peerGoesOn { $0.contains(" gets ") }
      }
    ),
    ExplainedDifference(
      "a closure that cancels and then throws",
      in: [
        "Just.tryFilter", "Sequence.tryFilter", "PassthroughSubject operators side by side",
        "CurrentValueSubject operators side by side",
      ],
      because: """
        Row `own-subscription.cancel-during-end`: the error that a closure throws after it has cancelled is dropped. \
        The peer passes it on.
        """,
      .first { difference in
        difference.peerGoesOn { $0.contains(" gets failure ") }
      }
    ),
    ExplainedDifference(
      "flatMap in which more is asked for from inside a value",
      in: ["PassthroughSubject flatMap", "CurrentValueSubject flatMap"],
      because: """
        Row `flat-map.request-inside`: after demand that comes from inside a value the peer leaves what waits, and the \
        children that could send more, until the next request. Ours sees to them after that value.
        """,
      .first { difference in
        difference.firstOfOurs.hasPrefix("down") && difference.firstOfOurs.contains(" gets ")
          && (difference.isOverForPeer || difference.firstOfTheirs.contains(" is asked for "))
          && difference.common.contains { $0.contains(" returns ") || $0.contains(" requests ") }
          && difference.common.contains { $0.contains(" gets ") }
      }
    ),
    ExplainedDifference(
      "demand that is returned when another publisher has taken over inside the value",
      in: [
        "PassthroughSubject map and switchToLatest", "CurrentValueSubject map and switchToLatest",
        "PassthroughSubject catch", "CurrentValueSubject catch",
      ],
      because: """
        Rows `switch-to-latest.values` and `catch.demand`: demand carries over from one publisher to the next. What \
        the value's callback returns is given by the peer to the publisher that sent it, which is gone; ours gives it \
        to the one that took over.
        """,
      .first { difference in
        difference.firstOfOurs.contains(" gets ") && (difference.isOverForPeer || difference.isLeftOutByPeer)
          && difference.common.contains { $0.contains(" returns ") }
          && difference.common.contains { $0.contains("closure ") }
      }
    ),
    ExplainedDifference(
      "a subscription for a published property that is gone",
      in: ["assign to Published"],
      because: """
        Row `published.assign`: the upstream subscriptions are cancelled when the property is gone. One that arrives \
        later ours cancels at once; the peer leaves it as it is, so nobody ever would.
        """,
      .first { difference in
        difference.firstOfOurs.hasSuffix(" is cancelled") && difference.isOverForPeer
          && difference.common.contains { $0.hasSuffix("model is released") }
          && difference.common.last?.contains(" gives subscription ") == true
      }
    ),
    ExplainedDifference(
      "an assignment to a published property has one subscription",
      in: ["assign to Published"],
      because:
        "Row `threads.before-the-subscription`: a second subscription is cancelled. Combine asks it for elements.",
      .first { difference in
        difference.firstOfOurs.hasPrefix("up0") && difference.firstOfOurs.hasSuffix(" is cancelled")
          && difference.firstOfTheirs.hasPrefix("up0") && difference.firstOfTheirs.hasSuffix(" is asked for unlimited")
      }
    ),
    ExplainedDifference(
      "a finished assignment to a published property is over",
      in: ["assign to Published"],
      because: """
        Row `published.assign-end`: a finished pipeline leaves nothing at the property. It is not cancelled when the \
        property goes, and a subscription that its upstream sends after the end is not asked for anything.
        """,
      .first { difference in
        [" is cancelled", " is asked for unlimited"].contains(where: difference.firstOfTheirs.hasSuffix)
          && difference.firstOfTheirs.hasPrefix("up0") && difference.common.contains { $0.hasSuffix(" finishes") }
      }
    ),
    ExplainedDifference(
      "when a subject that was let go is gone",
      in: ["PassthroughSubject let go", "CurrentValueSubject let go"],
      because: """
        Row `subject.upstreams`: the end of a subject's life cancels its upstream. A subject that nobody but a \
        subscription holds ends when that is cancelled; if this happens inside a value, ours is still in the middle of \
        the delivery, and ends after it.
        """,
      .first { difference in
        [difference.firstOfOurs, difference.firstOfTheirs].contains("up0 is cancelled")
          && difference.common.contains { $0.hasSuffix("up1 finishes") }
          && difference.common.contains { $0.hasSuffix(" cancels") }
      }
    ),
    ExplainedDifference(
      "AnyCancellable that is cancelled from inside its closure",
      in: ["AnyCancellable", "AnyCancellable of another"],
      because: """
        Row `any-cancellable.once`: the closure runs at most once, also when cancel() is entered again from inside it. \
        The peer is not protected there.
        """,
      .first { difference in
        difference.firstOfTheirs.hasPrefix("closure down") && difference.firstOfTheirs.hasSuffix(" is cancelled")
          && difference.common.last?.hasSuffix(" cancels") == true
          && difference.common.contains { $0.hasSuffix(difference.firstOfTheirs) }
      }
    ),
  ]

  /// The entries with a library's source that may have several subscribers.
  private static let severalSubscribers = entries {
    ($0.subscriberCount > 1 || $0.name.contains("itself"))
      && ["Subject", "Published", "Observable", "stored", "Future"].contains(where: $0.name.contains)
  }

  private static func entries(where isIncluded: (Profile) -> Bool) -> Set<String> {
    Set(Contestant.ours.profiles.filter(isIncluded).map(\.name))
  }
}

extension Difference {

  /// Whether ours acts inside a callback that has already ended for the peer.
  fileprivate var isOverForPeer: Bool {
    func depth(_ lines: [String]) -> Int {
      lines.indices.contains(commonCount) ? Self.depth(lines[commonCount]) : 0
    }
    return depth(theirs) < depth(ours)
  }

  /// Returns the index of the common line in which a subscriber receives its last value.
  fileprivate func indexOfLastValue(of subscriber: Substring) -> Int? {
    common.lastIndex { Self.actor($0) == subscriber && $0.contains(" gets ") }
  }

  /// Returns whether the peer sends a matching event to a subscriber that has cancelled or received a completion, and
  /// ours does not.
  func peerGoesOn(_ isEvent: (Substring) -> Bool) -> Bool {
    let subscriber = firstOfTheirs.prefix { $0 != " " }
    return subscriber.hasPrefix("down") && isEvent(firstOfTheirs)
      && !firstOfOurs.hasPrefix("\(subscriber) gets")
      && common.contains {
        $0.hasSuffix("\(subscriber) cancels") || $0.hasSuffix("\(subscriber) gets finished")
          || $0.contains("\(subscriber) gets failure")
      }
  }
}
