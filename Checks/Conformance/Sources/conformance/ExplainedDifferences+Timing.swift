import Scripts
import StageOurs

extension ExplainedDifference {

  static let timing = timers + buffers + sharing

  private static let timers: [ExplainedDifference] = [
    ExplainedDifference(
      "throttle asks upstream last",
      in: throttles,
      because: """
        Row `throttle.subscription`: the downstream has its subscription before the upstream is asked, \
        as Combine was measured to do; the peer asks first. Compared with a model as well, exactly.
        """,
      .anyOrder(["gets subscription", "is asked for unlimited"])
    ),
    ExplainedDifference(
      "what happens to throttle while it subscribes",
      in: throttles,
      because: """
        Row `throttle.subscription`: what somebody does inside one of the two callbacks finds the other one done or \
        not, depending on their order. The peer loses a value that is sent inside the request. Compared with a model \
        as well, exactly.
        """,
      .first {
        $0.isInsideSubscribing && $0.lastStep.contains { $0.contains("gets subscription") }
          || $0.hasSentInsideSubscribing
      }
    ),
    ExplainedDifference(
      "nothing is asked of an upstream that is over",
      in: entries { $0.contains("debounce") || $0.contains("measureInterval") || $0 == "autoconnect and connect" },
      because: """
        Row `timing.cancel-at-subscription`: where the downstream has cancelled inside its callback, upstream is not \
        asked. Row `timing.cancel`: a request after the end is nothing, and so is demand returned from a value during \
        which it came. The peer asks an upstream that is gone.
        """,
      .first { $0.peerAsksUpstreamThatIsOver }
    ),
    ExplainedDifference(
      "debounce delivers a value once",
      in: ["debounce run at once"],
      because: """
        Row `debounce.token`: a timer is over when it has fired, also inside the call that sets it, and further \
        actions of it are ignored; a value without demand is dropped for good. The peer does not cancel such a timer, \
        and delivers when it comes again. All that is ours has happened before the clock moves.
        """,
      .first { $0.isInsideClockStep && $0.firstOfTheirs.contains(" gets ") }
    ),
    ExplainedDifference(
      "no timeout after a cancel",
      in: entries { $0.contains("timeout") },
      because: """
        Row `timeout.cancel-inside-expiry`: after a cancel all that is in flight is dropped. That holds for a cancel \
        from inside the upstream's own cancel at the end of the time, or from inside the closure of the error; the \
        peer goes on.
        """,
      .first {
        $0.isInsideClockStep && $0.lastStep.contains { $0.hasSuffix("cancels") }
          && ["gets finished", "gets failure fault 9", "closure customError"].contains(where: $0.firstOfTheirs.contains)
      }
    ),
    ExplainedDifference(
      "timeout needs no cancel of its timers",
      in: entries { $0.hasPrefix("timeout") && $0.hasSuffix("with timers that go on") },
      because: """
        Row `timeout.arming`: only one timer is valid at a time. Where a scheduler's tokens have no effect, the \
        peer takes an outdated timer for the valid one and ends too early.
        """,
      .first {
        $0.isInsideClockStep && $0.firstOfTheirs.hasSuffix("is cancelled")
          && $0.common.count { $0.contains(", then every ") } > 1
      }
    ),
    ExplainedDifference(
      "subscribe(on:) lets a cancel through inside a request",
      in: entries { $0.contains("subscribe(on:)") },
      because: """
        Row `subscribe-on.nested`: a cancel from inside a request on the same thread traps in the peer only. A \
        synchronous upstream with a downstream that has had enough needs it.
        """,
      .first { $0.firstOfTheirs == "TRAP" && $0.firstOfOurs.hasSuffix("is cancelled") }
    ),
  ]

  private static let buffers: [ExplainedDifference] = [
    ExplainedDifference(
      "buffer keeps a failure until the downstream has its subscription",
      in: entries { $0.contains("buffer") },
      because: """
        Row `buffer.early`: a subscriber gets its subscription before anything else. A failure that the upstream sends \
        inside the first request, or before the downstream has returned from taking its subscription, waits until \
        then.
        """,
      .first {
        guard $0.isInsideSubscribing else { return false }
        return $0.lastStep.contains { $0.contains("fails with") }
          // Except for the order of several subscribers.
          || $0.firstOfOurs.contains("gets failure") && $0.firstOfTheirs.contains("gets subscription Buffer")
      }
    ),
    ExplainedDifference(
      "buffer stops a batch at a cancel",
      in: entries { $0.contains("buffer") },
      because: """
        Row `buffer.batch`: after a cancel the rest of the batch is not delivered. In the peer it is.
        """,
      .first { $0.firstOfTheirs.contains(" gets ") && $0.lastStep.contains { $0.hasSuffix("cancels") } }
    ),
    ExplainedDifference(
      "buffer leaves a request inside a batch to that batch",
      in: entries { $0.contains("buffer") },
      because: """
        Row `buffer.batch`, of a request inside a batch: it counts, and the running drain picks it up. In the peer the \
        end of a batch inside a batch ends both, and it delivers inside the request.
        """,
      .first {
        $0.firstOfTheirs.contains(" gets ") && $0.common.last!.contains(" requests ") && $0.hasValueInsideValue
      }
    ),
    ExplainedDifference(
      "buffer takes a subscription while it makes its error",
      in: entries { $0.contains("buffer") },
      because: """
        Row `buffer.inside-error`: to send a value from inside the closure of the error traps, which both do. A \
        further subscription is cancelled; only the peer traps there.
        """,
      .first {
        $0.firstOfTheirs == "TRAP" && $0.firstOfOurs.hasSuffix("is cancelled")
          && $0.common.last!.contains("gives subscription") && $0.lastStep.contains { $0.hasSuffix("customError") }
      }
    ),
    ExplainedDifference(
      "buffer cancels upstream once",
      in: entries { $0.contains("buffer") },
      because: """
        Row `timing.cancel`: upstream is cancelled once. The peer does it again if an overflow has done it.
        """,
      .first { difference in
        difference.firstOfTheirs.hasSuffix("is cancelled")
          && difference.common.contains { $0.hasSuffix("\(difference.theirActor) is cancelled") }
      }
    ),
    ExplainedDifference(
      "what buffer asks an upstream for that was cancelled",
      in: entries { $0.contains("buffer") },
      because: """
        A buffer replaces what it has delivered, also if the downstream has cancelled inside a batch. Of two in a row, \
        the second stops the first one's batch earlier than in the peer, as above, so that less is asked. Nobody hears \
        it.
        """,
      .first {
        $0.firstOfOurs.contains(" is asked for ") && $0.firstOfTheirs.contains(" is asked for ")
          && $0.isOver($0.ourActor)
      }
    ),
  ]

  private static let sharing: [ExplainedDifference] = [
    ExplainedDifference(
      "a subscription that comes after the last subscriber has left",
      in: connectables,
      because: """
        Row `threads.cancel-from-the-start`: the upstream's subscription that arrives after the last subscriber has \
        left, or after the connection was cancelled, is cancelled on arrival. The peer ignores it, or keeps it and \
        asks it for values, as the model does, which connects with subscribe(_:).
        """,
      .first {
        ($0.firstOfOurs.hasSuffix(" is cancelled") || $0.firstOfOurs.hasSuffix(" scheduler: run"))
          && ($0.comesAfterSubscription || $0.hasCancelInsideArrival)
          // A connection that another one replaces has no subscriber either.
          && ($0.common.count { $0.hasSuffix(" is subscribed to") } > 1
            || $0.common.contains { line in
              [" cancels", "disconnect", " is cancelled", "scheduler: run"].contains(where: line.hasSuffix)
            })
      }
    ),
    ExplainedDifference(
      "autoconnect cancels a connection that its only subscriber has left",
      in: autoconnects,
      because: """
        Row `autoconnect.leaves-while-connecting`: a cancel from inside receive(subscription:), before there is a \
        connection, changes no count in the peer, and then nobody can cancel the connection any more. Ours cancels it \
        as soon as it is made, and connects again for the next subscriber.
        """,
      .first { $0.hasCancelInsideSubscribing }
    ),
    ExplainedDifference(
      "autoconnect lets a connection go that it replaces",
      in: autoconnects,
      because: """
        Row `autoconnect.nested`: a connection made inside another overwrites it or is overwritten. The one that goes \
        is cancelled, and what somebody does inside that cancel traps in the peer (row `threads.no-user-code-under-a-lock`).
        """,
      .first { difference in
        difference.firstOfTheirs == "TRAP" && difference.lastStep.contains { $0.hasSuffix("is cancelled") }
          && difference.lastStep.count { $0.hasSuffix("is subscribed to") } > 1
      }
    ),
    ExplainedDifference(
      "scheduled events keep their order",
      in: entries {
        $0.hasSuffix("on a reversed scheduler")
          && ["delay", "receive(on:)", "timeout"].contains(where: $0.hasPrefix)
      },
      because: """
        Row `timing.order`: an operator that delivers from a scheduler's actions keeps its events in a queue, and each \
        action delivers the oldest. A scheduler that runs what is due at one time in another order, as a dispatch \
        queue may, neither reorders nor loses anything.
        """,
      .first { difference in
        difference.firstOfOurs.contains(" gets ") && difference.firstOfTheirs.contains(" gets ")
      }
    ),
    ExplainedDifference(
      "autoconnect counts each subscriber once",
      in: autoconnects,
      because: """
        Row `autoconnect.repeated-cancel`: a repeated cancel of one subscription counts once. In the peer it counts \
        twice while others are attached.
        """,
      .first {
        $0.hasRepeatedCancel
          && (["is cancelled", "is subscribed to", "scheduler: run"].contains(where: $0.firstOfTheirs.hasSuffix)
            || ["is cancelled", "scheduler: run"].contains(where: $0.firstOfOurs.hasSuffix))
      }
    ),
    ExplainedDifference(
      "order of a PassthroughSubject's or CurrentValueSubject's subscribers",
      in: librarySubjects,
      because: """
        The peer keeps a subject's subscribers in a set, whose order is not that of their arrival and changes from run \
        to run; ours serves them in the order of their arrival. Compared with the stage's own subject as well, exactly.
        """,
      .anyOrder(["gets", "returns"])
    ),
    ExplainedDifference(
      "what happens inside a subject's delivery to several",
      in: librarySubjects,
      because: """
        The same: what one subscriber does inside its callback finds others served or not, depending on the order. \
        Compared with the stage's own subject as well, exactly.
        """,
      .first { $0.isInsideDeliveryToSeveral }
    ),
    ExplainedDifference(
      "a completion inside the same completion",
      in: connectables,
      because: """
        An upstream without manners that finishes again while its end is handed on: the second is ignored, and the \
        bridge to the subject is still inside the first (row `bridge.states`). The peer takes the \
        second for the end of the first, and does not cancel any more.
        """,
      .first { difference in
        difference.script.manners == .lawless && difference.firstOfOurs.hasSuffix("is cancelled")
          && difference.lastStep.count { $0.hasSuffix("\(difference.ourActor) finishes") } > 1
      }
    ),
  ]

  private static let throttles = entries { $0.hasPrefix("throttle") && !$0.contains("model") }

  private static let connectables = entries {
    $0.contains("share") || $0.contains("autoconnect") || $0.contains("multicast") || $0.contains("akeConnectable")
      || $0 == "referenceCounted"
  }

  private static let autoconnects = entries {
    $0.contains("share") || $0.contains("autoconnect") || $0 == "multicast twice"
  }

  /// The entries with a subject of the library that has several subscribers.
  private static let librarySubjects = entries {
    ($0.contains("share") && $0 != "multicast shared subject") || $0.contains("akeConnectable")
      || $0.contains("current value") || $0 == "multicast PassthroughSubject" || $0 == "multicast twice"
  }
}

extension Difference {

  /// The common lines of the last step of the script, starting with the step.
  fileprivate var lastStep: ArraySlice<String> {
    common[(common.lastIndex { Self.depth($0) == 0 } ?? common.startIndex)...]
  }

  /// Whether the last events are the subscription of an upstream and what the scheduler has done since.
  fileprivate var comesAfterSubscription: Bool {
    common.suffix(3).contains { $0.contains(" gives subscription ") }
      || common.last { Self.actor($0) == ourActor }?.contains(" gives subscription ") == true
  }

  /// Whether somebody cancels inside the arrival of a subscription, in that step.
  fileprivate var hasCancelInsideArrival: Bool {
    lastStep.indices.contains { index in
      lastStep[index].hasSuffix(" cancels")
        && ancestors(of: index).contains { $0.contains(" gives subscription ") }
    }
  }

  /// Whether that step moves the clock.
  fileprivate var isInsideClockStep: Bool { lastStep.first?.contains("the clock moves") == true }

  /// Whether that step subscribes a subscriber, or sends it its subscription.
  fileprivate var isInsideSubscribing: Bool {
    guard let step = lastStep.first else { return false }
    return step.contains("subscribe down") || step.contains("gives subscription")
  }

  /// Whether a value was sent inside such a step.
  fileprivate var hasSentInsideSubscribing: Bool {
    var isInside = false
    return common.contains { line in
      if Self.depth(line) == 0 { isInside = line.contains("subscribe down") || line.contains("gives subscription") }
      return isInside && line.contains(" sends ")
    }
  }

  /// Whether, in the last step, a subscriber receives a value inside the callback of another one.
  fileprivate var hasValueInsideValue: Bool {
    let depths = lastStep.filter { $0.contains(" gets ") }.map(Self.depth)
    return zip(depths, depths.dropFirst()).contains { $0 < $1 }
  }

  /// Whether the peer requests from an upstream that has completed or was cancelled.
  fileprivate var peerAsksUpstreamThatIsOver: Bool {
    firstOfTheirs.contains("is asked for") && isOver(theirActor)
  }

  /// Whether a subscriber cancels before the call that subscribes it, or another one, has returned.
  fileprivate var hasCancelInsideSubscribing: Bool {
    common.indices.contains { index in
      common[index].hasSuffix("cancels") && ancestors(of: index).contains { $0.contains("subscribe down") }
    }
  }

  /// Whether a subscriber has cancelled more than once.
  fileprivate var hasRepeatedCancel: Bool {
    let cancels = common.filter { $0.hasSuffix("cancels") }.map(Self.actor)
    return Set(cancels).count < cancels.count
  }

  /// Whether it is at or inside a subscriber's callback, or is the first effect of a value, with several subscribers.
  fileprivate var isInsideDeliveryToSeveral: Bool {
    guard common.count(where: { $0.contains("gets subscription") }) > 1 else { return false }
    return common.last!.contains(" sends ")
      || [firstOfOurs, firstOfTheirs, common.last![...]].contains { $0.contains(" gets ") }
      || ancestors(of: common.indices.last!).contains { $0.contains(" gets ") }
  }
}
