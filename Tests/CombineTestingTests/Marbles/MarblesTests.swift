import CombineTesting
import Testing

/// Pictures that are right.
@Suite struct MarblesTests {

  // The layout is a picture.
  // swift-format-ignore
  @Test func aTestIsAPicture() {
    marbles { "a--bc----|"
              $0[0].debounce(for: 2, scheduler: $0.scheduler)
              "--a---c--|" }
  }

  @Test func anInputSendsTheEventsOfItsLine() {
    marbles {
      "-a-(bc)-|"
      $0[0]
      "-a-(bc)-|"
    }
    marbles {
      "--a--#"
      $0[0]
      "--a--#"
    }
    marbles {
      "--a---"
      $0[0]
      "--a---"
    }
    marbles {
      "|"
      $0[0]
      "|"
    }
  }

  @Test func needsNoInput() {
    marbles {
      Just("a").delay(for: 3, scheduler: $0.scheduler)
      "---(a|)"
    }
  }

  @Test func groupsKeepTheirOrder() {
    marbles {
      "--(ab|)"
      $0[0].append("c", "d")
      "--(abcd|)"
    }
    marbles {
      "--(a#)"
      $0[0].map { $0 }
      "--(a#)"
    }
  }

  @Test func spacesAreForAlignment() {
    marbles {
      "--a        ---b|"
      $0[0].map { $0 }
      "  --a- --  b|"
    }
  }

  // MARK: Values

  @Test func lettersCanBeConverted() {
    marbles(of: Int.self) {
      "1-2-3-|"
      $0[0].scan(0, +)
      "1-3-6-|"
    }
  }

  @Test func lettersCanHaveValues() {
    marbles(values: ["a": 1, "b": 2, "c": 3]) {
      "a-b|"
      $0[0].map { $0 + 1 }
      "b-c|"
    }
    marbles(values: ["a": 1, "b": 2], outputs: ["x": "one", "y": "two"]) {
      "a-b|"
      $0[0].map { $0 == 1 ? "one" : "two" }
      "x-y|"
    }
  }

  /// The values of the inputs do not determine those of an output of another type.
  @Test func lettersOfTheOutputAreDescriptionsInAnotherType() {
    marbles(values: ["a": 10, "b": 20]) {
      "a-b|"
      $0[0].map { "\($0 / 10)" }
      "1-2|"
    }
  }

  @Test func tuplesCanBeOutputs() {
    marbles(outputs: ["x": ("a", "c"), "y": ("b", "d")]) {
      "a-b-----|"
      "---c-d--|"
      $0[0].zip($0[1])
      "---x-y--|"
    }
  }

  @Test func anInputCanHaveValuesOfItsOwn() {
    marbles(outputs: ["x": "a1", "y": "b1"]) {
      "a-b---|"
      "1-----|"
      $0[0].combineLatest($0[1, values: ["1": 1]]) { "\($0)\($1)" }
      "x-y---|"
    }
  }

  @Test func failuresCanBeGiven() {
    struct Refused: Error, Equatable {
      let code: Int
    }
    marbles(failure: Refused(code: 3)) {
      "--#"
      $0[0].mapError { _ in Refused(code: 3) }
      "--#"
    }
    marbles(failure: MarbleError()) {
      "a-#"
      $0[0].tryMap { $0 }
      "a-#"
    }
  }

  // MARK: Several inputs

  @Test func severalInputsShareOneClock() {
    marbles {
      "a---b---|"
      "--c---d------|"
      $0[0].merge(with: $0[1])
      "a-c-b-d------|"
    }
  }

  @Test func inputsOfOneTimeAreSentInTheOrderOfTheirLines() {
    marbles {
      "-a----|"
      "-b----|"
      $0[1].merge(with: $0[0])
      "-(ab)-|"
    }
  }

  @Test func innerPublishersAreInputs() {
    marbles {
      "-x-----y---|"
      "--a-b-c-d-e-|"
      "---1-2-3-4-5-|"
      $0[0, values: ["x": $0[1], "y": $0[2]]].switchToLatest()
      "--a-b-c3-4-5-|"
      "^"
      "-^-----!"
      "-------^"
    }
  }

  @Test func aHotInputContinuesWithoutSubscribers() {
    marbles {
      "-a-b-c-d-|"
      "----x"
      $0[1].flatMap { [input = $0[0]] _ in input }
      "-----c-d-"
    }
  }

  @Test func aHotInputThatHasEndedCompletesAtOnce() {
    marbles {
      "-|"
      "----x-|"
      $0[1].flatMap { [input = $0[0]] _ in input.replaceEmpty(with: "e") }
      "----e-|"
    }
  }

  @Test func aColdInputBeginsWithEachSubscription() {
    marbles {
      "-a-b#"
      $0.cold(0).retry(2)
      "-a-b-a-b-a-b#"
      "^---^---^"
    }
    marbles {
      "---a---|"
      "2-1-|"
      $0[0].flatMap { [cold = $0.cold(1, values: ["1": 10, "2": 20])] _ in cold.map { "\($0 / 10)" } }
      "---2-1-|"
    }
  }

  @Test func aColdInputCanHaveEventsAtItsSubscription() {
    marbles {
      "(ab|)"
      $0.cold(0)
      "(ab|)"
    }
  }

  // MARK: Subscription and cancellation

  @Test func eventsBeforeTheSubscriptionAreLost() {
    marbles {
      "a-b-^-c-|"
      $0[0]
      "    ^-c-|"
    }
    marbles {
      "ab-^-c-|"
      $0[0].share().prepend("p")
      "p-c-|"
    }
  }

  @Test func linesAreAlignedAtTheirSubscription() {
    marbles {
      "a-b--^-c---|"
      "   d-^---e-|"
      $0[0].merge(with: $0[1])
      "     ^-c-e-|"
    }
  }

  @Test func theSubscriptionCanBeCancelled() {
    marbles {
      "-a-b-c-d-|"
      $0[0].map { $0 }
      "-a-b-!"
      "^----!"
    }
    marbles {
      "-a-b"
      $0[0].delay(for: 4, scheduler: $0.scheduler)
      "-----a!"
    }
  }

  @Test func anEndlessPublisherCanBeCancelled() {
    marbles(outputs: ["x": ["a", "b"], "y": ["c"]]) {
      "ab--c---"
      $0[0].collect(.byTime($0.scheduler, 3))
      "---x--y-!"
    }
  }

  @Test func subscriptionsOfInputsCanBeExpected() {
    marbles {
      "--a--b--c--|"
      $0[0].prefix(2)
      "--a--(b|)"
      "^----!"
    }
    marbles {
      "--a--|"
      "-b-|"
      $0[0].append($0[1])
      "--a--|"
      "^"
      "-----^"
    }
    marbles {
      "--a--|"
      "-----|"
      $0[0]
      "--a--|"
      "^"
      ""
    }
  }

  // MARK: Forms

  @Test func diagramsCanBeVariables() {
    for (input, output) in [("ab|", "ba|"), ("a|", "b|")] {
      marbles {
        input
        $0[0].map { $0 == "a" ? "b" : "a" }
        output
      }
    }
  }

  @Test func declarationsMayStandInBetween() {
    marbles {
      "-a-b-|"
      let shared = $0[0].share()
      shared.merge(with: shared).removeDuplicates()
      "-a-b-|"
    }
  }

  @Test func worksInAnAsynchronousContext() async {
    await Task.yield()
    marbles {
      "-a-b-|"
      $0[0].delay(for: 2, scheduler: $0.scheduler)
      "---a-b-|"
    }
  }

  @Test func theClockIsThePicturesClock() {
    marbles {
      "-a--b-|"
      let scheduler = $0.scheduler
      $0[0].map { _ in scheduler.now }
      "-1--4-|"
    }
  }
}
