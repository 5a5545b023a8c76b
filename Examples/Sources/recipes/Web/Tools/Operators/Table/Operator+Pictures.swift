@_spi(Diagrams) import CombineTesting

// Publishers that a picture of the documentation shows and the table's own code cannot be set to. The name in links is that of
// the operator with `-picture`. The test `theLinkOfAPictureOpensItsCase` of the site finds a picture that is not here.

extension Operator {

  /// Returns what a closure makes of the inputs, so that it can call them `$0`, as the text does.
  private static func publisher<Value, P>(_ context: MarbleContext<Value>, _ make: (MarbleContext<Value>) -> P) -> P {
    make(context)
  }

  /// The publishers of pictures.
  static let pictures = Group("Pictures of the documentation") {
    Operator(
      "append",
      id: "append-picture",
      "a--b--~",
      code: #"$0[0].append("x", "y")"#
    ) { context, _ in
      publisher(context) { $0[0].append("x", "y") }
    }
    Operator(
      "buffer",
      id: "buffer-picture",
      "abcd---~",
      parameters: [.interval("for", 3)],
      code: """
        $0[0]
          .buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
          .flatMap(maxPublishers: .max(1)) { [clock = $0.scheduler] in Just($0).delay(for: {for}, scheduler: clock) }
        """
    ) { context, settings in
      let pause = settings.ticks("for")
      return context[0].buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(1)) { [clock = context.scheduler] in Just($0).delay(for: pause, scheduler: clock) }
    }
    Operator(
      "catch",
      id: "catch-picture",
      "a--b--*",
      "--x--y~",
      code: "$0[0].catch { [other = $0.cold(1)] _ in other }"
    ) { context, _ in
      publisher(context) { $0[0].catch { [other = $0.cold(1)] _ in other } }
    }
    Operator(
      "combineLatest",
      id: "combineLatest-picture",
      "a----b----~",
      "--1-----2----~",
      code: "$0[0].combineLatest($0[1]).map { $0 + $1 }"
    ) { context, _ in
      publisher(context) { $0[0].combineLatest($0[1]).map { $0 + $1 } }
    }
    Operator(
      "contains(_:)",
      id: "contains-picture",
      "a--b--c--~",
      code: #"$0[0].contains("b")"#
    ) { context, _ in
      publisher(context) { $0[0].contains("b") }
    }
    Operator(
      "contains(where:)",
      id: "contains-where-picture",
      of: Int.self,
      "1--3--2--~",
      code: "$0[0].contains { $0 > 2 }"
    ) { context, _ in
      publisher(context) { $0[0].contains { $0 > 2 } }
    }
    Operator(
      "drop(while:)",
      id: "drop-while-picture",
      of: Int.self,
      "1--2--3--2--1--~",
      code: "$0[0].drop { $0 < 3 }"
    ) { context, _ in
      publisher(context) { $0[0].drop { $0 < 3 } }
    }
    Operator(
      "filter",
      id: "filter-picture",
      of: Int.self,
      "1--7--3--8--~",
      code: "$0[0].filter { $0 > 5 }"
    ) { context, _ in
      publisher(context) { $0[0].filter { $0 > 5 } }
    }
    Operator(
      "first(where:)",
      id: "first-where-picture",
      of: Int.self,
      "1--2--3--4--~",
      code: "$0[0].first { $0 > 2 }"
    ) { context, _ in
      publisher(context) { $0[0].first { $0 > 2 } }
    }
    Operator(
      "flatMap",
      id: "flatMap-picture",
      "a--b-*",
      "-1-2~",
      code: "$0[0].flatMap { [inner = $0.cold(1).assertNoFailure()] _ in inner }"
    ) { context, _ in
      publisher(context) { $0[0].flatMap { [inner = $0.cold(1).assertNoFailure()] _ in inner } }
    }
    Operator(
      "last(where:)",
      id: "last-where-picture",
      of: Int.self,
      "1--2--3--~",
      code: "$0[0].last { $0 < 3 }"
    ) { context, _ in
      publisher(context) { $0[0].last { $0 < 3 } }
    }
    Operator(
      "map",
      id: "map-picture",
      of: Int.self,
      "1--2--3--~",
      code: "$0[0].map { $0 * 2 }"
    ) { context, _ in
      publisher(context) { $0[0].map { $0 * 2 } }
    }
    Operator(
      "measureInterval",
      id: "measureInterval-picture",
      "--a---b-c--~",
      code: #"$0[0].measureInterval(using: $0.scheduler).map(\.ticks)"#
    ) { context, _ in
      publisher(context) { $0[0].measureInterval(using: $0.scheduler).map(\.ticks) }
    }
    Operator(
      "output(in:)",
      id: "output-in-picture",
      "a--b--c--d--~",
      code: "$0[0].output(in: 1...2)"
    ) { context, _ in
      publisher(context) { $0[0].output(in: 1...2) }
    }
    Operator(
      "prefix(while:)",
      id: "prefix-while-picture",
      of: Int.self,
      "1--2--3--2--1--~",
      code: "$0[0].prefix { $0 < 3 }"
    ) { context, _ in
      publisher(context) { $0[0].prefix { $0 < 3 } }
    }
    Operator(
      "prepend",
      id: "prepend-picture",
      of: Int.self,
      "-----3--4--~",
      code: "$0[0].prepend(1...2)"
    ) { context, _ in
      publisher(context) { $0[0].prepend(1...2) }
    }
    Operator(
      "replaceEmpty",
      id: "replaceEmpty-picture",
      "------~",
      code: #"$0[0].replaceEmpty(with: "z")"#
    ) { context, _ in
      publisher(context) { $0[0].replaceEmpty(with: "z") }
    }
    Operator(
      "replaceError",
      id: "replaceError-picture",
      "a--b--*",
      code: #"$0[0].replaceError(with: "z")"#
    ) { context, _ in
      publisher(context) { $0[0].replaceError(with: "z") }
    }
    Operator(
      "share",
      id: "share-picture",
      "--a-----b-----~",
      code: """
        let shared = $0.cold(0).share()
        shared.merge(with: shared)
        """
    ) { context, _ in
      publisher(context) {
        let shared = $0.cold(0).share()
        return shared.merge(with: shared)
      }
    }
    Operator(
      "switchToLatest",
      id: "switchToLatest-picture",
      "a---b---~",
      "-1-2-3~",
      code: """
        $0[0].assertNoFailure()
          .map { [inner = $0.cold(1).assertNoFailure()] _ in inner }
          .switchToLatest()
        """
    ) { context, _ in
      publisher(context) {
        $0[0].assertNoFailure()
          .map { [inner = $0.cold(1).assertNoFailure()] _ in inner }
          .switchToLatest()
      }
    }
    Operator(
      "timeout",
      id: "timeout-picture",
      "a--b--------c--~",
      parameters: [.interval("after", 5)],
      code: "$0[0].timeout({after}, scheduler: $0.scheduler)"
    ) { $0[0].timeout($1.ticks("after"), scheduler: $0.scheduler) }
    Operator(
      "tryMap",
      id: "tryMap-picture",
      "1--2--x--3--~",
      code: """
        $0[0].tryMap { text in
          guard let number = Int(text) else { throw MarbleError() }
          return number
        }
        """
    ) { context, _ in
      publisher(context) {
        $0[0].tryMap { text in
          guard let number = Int(text) else { throw MarbleError() }
          return number
        }
      }
    }
    Operator(
      "tryScan",
      id: "tryScan-picture",
      of: Int.self,
      "2--4--5--1--~",
      code: """
        $0[0].tryScan(9) { balance, payment in
          guard payment <= balance else { throw MarbleError() }
          return balance - payment
        }
        """
    ) { context, _ in
      publisher(context) {
        $0[0].tryScan(9) { balance, payment in
          guard payment <= balance else { throw MarbleError() }
          return balance - payment
        }
      }
    }
    Operator(
      "zip",
      id: "zip-picture",
      "a--b-----c--d--~",
      "----1--2---~",
      code: "$0[0].zip($0[1]).map { $0 + $1 }"
    ) { context, _ in
      publisher(context) { $0[0].zip($0[1]).map { $0 + $1 } }
    }
    Operator(
      "catch(ErrorType.self)",
      id: "catch-ErrorType-self-picture",
      "a--b--*",
      code: #"$0[0].catch(MarbleError.self) { _ in Just("z").setFailureType(to: MarbleError.self) }"#
    ) { context, _ in
      publisher(context) { $0[0].catch(MarbleError.self) { _ in Just("z").setFailureType(to: MarbleError.self) } }
    }
    Operator(
      "collect(for:every:)",
      id: "collect-for-every-picture",
      "-a-b--c---------d-~",
      parameters: [.interval("for", 5)],
      code: "$0[0].collect(for: {for}, scheduler: $0.scheduler)"
    ) { $0[0].collect(for: $1.ticks("for"), scheduler: $0.scheduler) }
    Operator(
      "concatMap",
      id: "concatMap-picture",
      "a-b----~",
      "-1-2~",
      code: """
        $0[0].buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest)
          .concatMap { [inner = $0.cold(1)] _ in inner }
        """
    ) { context, _ in
      publisher(context) {
        $0[0].buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest)
          .concatMap { [inner = $0.cold(1)] _ in inner }
      }
    }
    Operator(
      "enumerated",
      id: "enumerated-picture",
      "a--b--c--~",
      code: #"$0[0].enumerated().map { "\($0.index)\($0.element)" }"#
    ) { context, _ in
      publisher(context) { $0[0].enumerated().map { "\($0.index)\($0.element)" } }
    }
    Operator(
      "exhaustMap",
      id: "exhaustMap-picture",
      "a--b-----c------~",
      "-1-2-3~",
      code: "$0[0].exhaustMap { [inner = $0.cold(1)] _ in inner }"
    ) { context, _ in
      publisher(context) { $0[0].exhaustMap { [inner = $0.cold(1)] _ in inner } }
    }
    Operator(
      "fallback",
      id: "fallback-picture",
      "a--b--*",
      "x--y---z~",
      code: "$0[0].fallback(to: $0[1])"
    ) { context, _ in
      publisher(context) { $0[0].fallback(to: $0[1]) }
    }
    Operator(
      "flatMapLatest",
      id: "flatMapLatest-picture",
      "a---b--~",
      "-1-2-3~",
      code: "$0[0].flatMapLatest { [inner = $0.cold(1)] _ in inner }"
    ) { context, _ in
      publisher(context) { $0[0].flatMapLatest { [inner = $0.cold(1)] _ in inner } }
    }
    Operator(
      "groupBy",
      id: "groupBy-picture",
      of: Int.self,
      "1--2--3--~",
      code: #"""
        $0[0].groupBy { $0.isMultiple(of: 2) ? "even" : "odd" }
          .flatMap { group in group.map { "\(group.key) \($0)" } }
        """#
    ) { context, _ in
      publisher(context) {
        $0[0].groupBy { $0.isMultiple(of: 2) ? "even" : "odd" }
          .flatMap { group in group.map { "\(group.key) \($0)" } }
      }
    }
    Operator(
      "materialize",
      id: "materialize-picture",
      "--a--~",
      code: #"$0[0].materialize().map { "\($0)" }"#
    ) { context, _ in
      publisher(context) { $0[0].materialize().map { "\($0)" } }
    }
    Operator(
      "partition",
      id: "partition-picture",
      of: Int.self,
      "1--2--3--4--~",
      code: "$0[0].partition { $0.isMultiple(of: 2) }.matches"
    ) { context, _ in
      publisher(context) { $0[0].partition { $0.isMultiple(of: 2) }.matches }
    }
    Operator(
      "prefix(while:behavior:)",
      id: "prefix-while-behavior-picture",
      of: Int.self,
      "0-2-4-5-6-~",
      code: "$0[0].prefix(while: { $0.isMultiple(of: 2) }, behavior: .inclusive)"
    ) { context, _ in
      publisher(context) { $0[0].prefix(while: { $0.isMultiple(of: 2) }, behavior: .inclusive) }
    }
    Operator(
      "retry(policy)",
      id: "retry-policy-picture",
      "-a-*",
      parameters: [.interval("pause", 2)],
      code: "$0.cold(0).retry(.constant(.milliseconds({pause}), maxRetries: 1), scheduler: $0.scheduler)"
    ) { context, settings in
      let pause = Duration.milliseconds(settings.count("pause") * settings.scale)
      return context.cold(0).retry(.constant(pause, maxRetries: 1), scheduler: context.scheduler)
    }
    Operator(
      "retryWhen",
      id: "retryWhen-picture",
      "-a-*",
      "-----x----~",
      code: "$0.cold(0).retryWhen { [trigger = $0[1]] _ in trigger }"
    ) { context, _ in
      publisher(context) { $0.cold(0).retryWhen { [trigger = $0[1]] _ in trigger } }
    }
    Operator(
      "share(replay:scope:)",
      id: "share-replay-scope-picture",
      "-a----b---~",
      parameters: [.interval("for", 3)],
      code: """
        let shared = $0[0].share(replay: 1, scope: .whileSubscribed)
        let second = shared.delaySubscription(for: {for}, scheduler: $0.scheduler)
        shared.merge(with: second.map { $0.uppercased() })
        """
    ) {
      let shared = $0[0].share(replay: 1, scope: .whileSubscribed)
      let second = shared.delaySubscription(for: $1.ticks("for"), scheduler: $0.scheduler)
      return shared.merge(with: second.map { $0.uppercased() })
    }
    Operator(
      "throttle(until:)",
      id: "throttle-until-picture",
      "ab-c-----d--~",
      "----x----x",
      code: "$0[0].throttle(latest: false) { [window = $0[1]] _ in window }"
    ) { context, _ in
      publisher(context) { $0[0].throttle(latest: false) { [window = $0[1]] _ in window } }
    }
    Operator(
      "timeout(first:next:)",
      id: "timeout-first-next-picture",
      "----a-b------c-~",
      parameters: [.interval("first", 5), .interval("next", 3)],
      code: "$0[0].timeout(first: {first}, next: {next}, scheduler: $0.scheduler)"
    ) { $0[0].timeout(first: $1.ticks("first"), next: $1.ticks("next"), scheduler: $0.scheduler) }
    Operator(
      "timeout(first:fallback:)",
      id: "timeout-first-fallback-picture",
      "-------a--~",
      "----x-y-z-~",
      parameters: [.interval("first", 5)],
      code: "$0[0].timeout(first: {first}, scheduler: $0.scheduler, fallback: $0[1])"
    ) { $0[0].timeout(first: $1.ticks("first"), scheduler: $0.scheduler, fallback: $0[1]) }
    Operator(
      "window(_:every:)",
      id: "window-every-picture",
      "a-b-c-d-e-~",
      code: #"$0[0].window(2).enumerated().flatMap { window in window.element.map { "\(window.index)\($0)" } }"#
    ) { context, _ in
      publisher(context) {
        $0[0].window(2).enumerated().flatMap { window in window.element.map { "\(window.index)\($0)" } }
      }
    }
    Operator(
      "window(for:every:)",
      id: "window-for-every-picture",
      "-a-b--c---------d-~",
      parameters: [.interval("for", 5)],
      code: #"""
        $0[0].window(for: {for}, scheduler: $0.scheduler).enumerated()
          .flatMap { window in window.element.map { "\(window.index)\($0)" } }
        """#
    ) {
      $0[0].window(for: $1.ticks("for"), scheduler: $0.scheduler).enumerated()
        .flatMap { window in window.element.map { "\(window.index)\($0)" } }
    }
    Operator(
      "withLatest(of:)",
      id: "withLatest-of-picture",
      "-1-2---3-4---5-~",
      "-----a-----b",
      code: "$0[0].withLatest(of: $0[1])"
    ) { context, _ in
      publisher(context) { $0[0].withLatest(of: $0[1]) }
    }
    Operator(
      "[…].combineLatest()",
      id: "combineLatest-all-picture",
      "a---b----~",
      "--x---y---~",
      code: "[$0[0], $0[1]].combineLatest().map { $0.joined() }"
    ) { context, _ in
      publisher(context) { [$0[0], $0[1]].combineLatest().map { $0.joined() } }
    }
    Operator(
      "[…].merge()",
      id: "merge-all-picture",
      "a---b----~",
      "--x---y---~",
      code: "[$0[0], $0[1]].merge()"
    ) { context, _ in
      publisher(context) { [$0[0], $0[1]].merge() }
    }
    Operator(
      "[…].zip()",
      id: "zip-all-picture",
      "a-b------~",
      "--x---y---~",
      code: "[$0[0], $0[1]].zip().map { $0.joined() }"
    ) { context, _ in
      publisher(context) { [$0[0], $0[1]].zip().map { $0.joined() } }
    }
  }

  /// For a picture whose code a test cannot have as it stands: it names its context, or has errors and tuples of its own.
  static let shownInPicture: [String: String] = [
    "buffer-picture": """
    inputs[0]
      .buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)
      .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 3, scheduler: inputs.scheduler) }
    """,
    "catch-picture": "inputs[0].catch { _ in inputs.cold(1) }",
    "combineLatest-picture": "A.combineLatest(B)",
    "measureInterval-picture": "A.measureInterval(using: clock)",
    "tryMap-picture": """
    A.tryMap { text in
      guard let number = Int(text) else { throw NotANumber() }
      return number
    }
    """,
    "tryScan-picture": """
    A.tryScan(9) { balance, payment in
      guard payment <= balance else { throw Overdrawn() }
      return balance - payment
    }
    """,
    "zip-picture": "A.zip(B)",
    "catch-ErrorType-self-picture":
      #"test[0].catch(MarbleError.self) { _ in Just("z").setFailureType(to: MarbleError.self) }"#,
    "materialize-picture": "A.materialize()",
    "retry-policy-picture": "test.cold(0).retry(.constant(.milliseconds(2), maxRetries: 1), scheduler: test.scheduler)",
    "throttle-until-picture": "test[0].throttle(latest: false) { _ in test[1] }",
  ]
}
