import CombineTesting
import TestSupport
import Testing

/// Pictures that are wrong, and the messages about them.
@Suite(.capturesFailures) struct MarbleFailureTests {

  /// Checks that a test fails once, and its whole message.
  private func expectMessage(
    _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () -> Void
  ) {
    let messages = capturedFailures(body).map(\.message)
    #expect(messages == ["marbles: \(message)"], sourceLocation: sourceLocation)
  }

  // MARK: Differences

  @Test func aDifferenceIsMarkedAndDescribed() {
    expectMessage(
      """
      the output differs from its diagram
        expected: --a--c---|
        actual:   --a---c--|
                       ^
        expected: value c at 5
        actual:   value c at 6
      """
    ) {
      marbles {
        "a--bc----|"
        $0[0].debounce(for: 2, scheduler: $0.scheduler)
        "--a--c---|"
      }
    }
  }

  @Test func anotherValueIsADifference() {
    expectMessage(
      """
      the output differs from its diagram
        expected: a-b-|
        actual:   a-c-|
                    ^
        expected: value b at 2
        actual:   value c at 2
      """
    ) {
      marbles {
        "a-c-|"
        $0[0]
        "a-b-|"
      }
    }
  }

  @Test func anEventTooManyIsADifference() {
    expectMessage(
      """
      the output differs from its diagram
        expected: a-b---
        actual:   a-b-|
                      ^
        expected: nothing more
        actual:   finished at 4
      """
    ) {
      marbles {
        "a-b-|"
        $0[0]
        "a-b---"
      }
    }
  }

  @Test func aMissingEventIsADifference() {
    expectMessage(
      """
      the output differs from its diagram
        expected: a-b-c-
        actual:   a-b---
                      ^
        expected: value c at 4
        actual:   nothing more
      """
    ) {
      marbles {
        "a-b"
        $0[0]
        "a-b-c-"
      }
    }
  }

  @Test func anEventLongAfterThePictureIsADifference() {
    expectMessage(
      """
      the output differs from its diagram
        expected: a------
        actual:   a-----b
                        ^
        expected: nothing more
        actual:   value b at 6
      """
    ) {
      marbles {
        "a-----b-c-d"
        $0[0]
        "a"
      }
    }
  }

  @Test func anEndlessPublisherIsStopped() {
    expectMessage(
      """
      the output differs from its diagram
        expected: --x-
        actual:   --xA
                     ^
        expected: nothing more
        actual:   value A = 3 at 3
        where A = 3
      """
    ) {
      marbles(outputs: ["x": 2, "y": 9]) {
        let subject = PassthroughSubject<Int, Never>()
        let scheduler = $0.scheduler
        let timer = scheduler.schedule(after: 2, interval: 1) { subject.send(scheduler.now.ticks) }
        subject.handleEvents(receiveCancel: { timer.cancel() })
        "--x"
      }
    }
  }

  @Test func theOrderAtOneTimeCounts() {
    expectMessage(
      """
      the output differs from its diagram
        expected: (acb)--|
        actual:   (abc)--|
                    ^
        expected: value c at 0
        actual:   value b at 0
      """
    ) {
      marbles {
        "(abc)--|"
        $0[0]
        "(acb)--|"
      }
    }
  }

  @Test func aGroupThatIsTooWideMakesRoom() {
    expectMessage(
      """
      the output differs from its diagram
        expected: a-  b-|
        actual:   (pa)b-|
                   ^
        expected: value a at 0
        actual:   value p at 0
        (The gaps take no time: there is more at one time than there is room for.)
      """
    ) {
      marbles {
        "a-b-|"
        $0[0].prepend("p")
        "a-b-|"
      }
    }
  }

  @Test func valuesOfADictionaryAreDescribed() {
    expectMessage(
      """
      the output differs from its diagram
        expected: a-b-a-|
        actual:   b-A-B-|
                  ^
        expected: value a = 1 at 0
        actual:   value b = 2 at 0
        where A = 3
        where B = 4
      """
    ) {
      marbles(values: ["a": 1, "b": 2, "c": 3], outputs: ["a": 1, "b": 2]) {
        "a-b-c-|"
        $0[0].map { $0 + 1 }
        "a-b-a-|"
      }
    }
  }

  @Test func valuesWithoutALetterAreGivenOne() {
    expectMessage(
      """
      the output differs from its diagram
        expected: a-b-|
        actual:   A-B-|
                  ^
        expected: value a at 0
        actual:   value A = "aa" at 0
        where A = "aa"
        where B = "bb"
      """
    ) {
      marbles {
        "a-b-|"
        $0[0].map { $0 + $0 }
        "a-b-|"
      }
    }
  }

  @Test func theSubscriptionIsPartOfThePicture() {
    expectMessage(
      """
      the output differs from its diagram
        expected: ^b-|
        actual:   ^-b|
                   ^
        expected: value b at 1
        actual:   value b at 2
      """
    ) {
      marbles {
        "--c^-b|"
        $0[0]
        "   ^b-|"
      }
    }
  }

  @Test func anotherErrorIsADifference() {
    struct Refused: Error {
      let code: Int
    }
    expectMessage(
      """
      the output differs from its diagram
        expected: --#
        actual:   --#
                    ^
        expected: failure Refused(code: 1) at 2
        actual:   failure Refused(code: 2) at 2
      """
    ) {
      marbles(failure: Refused(code: 1)) {
        "--#"
        $0[0].mapError { _ in Refused(code: 2) }
        "--#"
      }
    }
    expectMessage(
      """
      the output differs from its diagram
        expected: --#
        actual:   --#
                    ^
        expected: failure CancellationError() at 2
        actual:   failure MarbleError at 2
      """
    ) {
      marbles(failure: CancellationError()) {
        "--#"
        $0[0]
        "--#"
      }
    }
  }

  @Test func anErrorThatLooksTheSameIsADifference() {
    struct Vague: Error, Equatable, CustomStringConvertible {
      let code: Int
      var description: String { "something" }
    }
    let message = """
      the output differs from its diagram
        expected: --#
        actual:   --#
                    ^
        expected: failure something at 2
        actual:   failure something at 2
      """
    expectMessage(message) {
      marbles(failure: Vague(code: 1)) {
        "--#"
        $0[0].mapError { _ in Vague(code: 2) }
        "--#"
      }
    }
    expectMessage(message) {
      marbles(failure: Vague(code: 1)) {
        "--a"
        $0[0].tryMap { _ in throw Vague(code: 2) }
        "--#"
      }
    }
  }

  @Test func anEndInPlaceOfACancellationIsADifference() {
    expectMessage(
      """
      the output differs from its diagram
        expected: -a--!
        actual:   -a-|
                     ^
        expected: cancellation at 4
        actual:   finished at 3
      """
    ) {
      marbles {
        "-a-|"
        $0[0]
        "-a--!"
      }
    }
  }

  @Test func subscriptionsCanDiffer() {
    expectMessage(
      """
      the subscriptions of input 0 differ from their diagram
        expected: ^---!
        actual:   ^-!
                    ^
        expected: cancellation at 4
        actual:   cancellation at 2
      """
    ) {
      marbles {
        "--a--b--|"
        $0[0].first()
        "--(a|)"
        "^---!"
      }
    }
    expectMessage(
      """
      the subscriptions of input 1 differ from their diagram
        expected: ------
        actual:   -----^
                       ^
        expected: nothing more
        actual:   subscription at 5
      """
    ) {
      marbles {
        "--a--|"
        "-------|"
        $0[0].append($0[1])
        "--a----|"
        "^"
        ""
      }
    }
  }

  // MARK: Faults

  @Test func aFaultIsMarked() {
    expectMessage(
      """
      unknown character '*', in input 1, column 4
        a--*--|
           ^
      """
    ) {
      marbles {
        "a-----|"
        "a--*--|"
        $0[0].merge(with: $0[1])
        "------|"
      }
    }
    expectMessage(
      """
      there is no ')' for this '(', in the expected output, column 4
        ---(a|
           ^
      """
    ) {
      marbles {
        "--a-----|"
        $0[0].first()
        "---(a|"
      }
    }
  }

  @Test func allFaultsAreMarked() {
    expectMessage(
      """
      unknown character '*', in input 0, column 1
        *
        ^
      marbles: there is no '(' for this ')', in the subscriptions of input 0, column 2
        ^)
         ^
      marbles: nothing can follow '|', in the expected output, column 2
        |a
         ^
      """
    ) {
      marbles {
        "*"
        $0[0]
        "|a"
        "^)"
      }
    }
  }

  @Test func aLetterThatIsNotInTheDictionaryIsAFault() {
    expectMessage(
      """
      'b' is not in the dictionary, in input 0, column 3
        a-b|
          ^
      """
    ) {
      marbles(values: ["a": 1]) {
        "a-b|"
        $0[0]
        "a--|"
      }
    }
    expectMessage(
      """
      'y' is not in the dictionary, in the expected output, column 3
        x-y|
          ^
      """
    ) {
      marbles(outputs: ["x": "a"]) {
        "a-b|"
        $0[0]
        "x-y|"
      }
    }
    expectMessage(
      """
      'b' is not in the dictionary, in input 1, column 3
        (ab)
          ^
      """
    ) {
      marbles(values: ["a": 1]) {
        "a-|"
        "(ab)"
        $0[0].flatMap { [context = $0] _ in context[1] }
        "--|"
      }
    }
  }

  @Test func aLetterThatCannotBeConvertedIsAFault() {
    expectMessage(
      """
      'x' is not a value of type Int, in input 0, column 3
        1-x|
          ^
      """
    ) {
      marbles(of: Int.self) {
        "1-x|"
        $0[0]
        "1--|"
      }
    }
  }

  @Test func anInputThatIsNotThereIsAFault() {
    expectMessage("there is no input 1, counted from 0: there is 1 input") {
      marbles {
        "a-|"
        $0[0].merge(with: $0[1])
        "a-|"
      }
    }
    expectMessage("there is no input 0, counted from 0: there are 0 inputs") {
      marbles {
        $0[0]
        "a-|"
      }
    }
    expectMessage("there is no input -1, counted from 0: there are 2 inputs") {
      marbles {
        "a-|"
        "a-|"
        $0.cold(-1)
        "a-|"
      }
    }
  }

  @Test func aPictureWithoutAnOutputIsAFault() {
    expectMessage("there is no diagram of the expected output") {
      marbles {
        "a-|"
        $0[0]
      }
    }
  }

  @Test func aLineTooManyIsAFault() {
    expectMessage("there are more lines of subscriptions than inputs") {
      marbles {
        "a-|"
        $0[0]
        "a-|"
        "^"
        "^"
      }
    }
  }

  @Test func aColdInputHasNoPast() {
    expectMessage(
      """
      nothing can happen before the subscription, as the input is used as a cold one, in input 0, column 1
        a-^-b|
        ^
      """
    ) {
      marbles {
        "a-^-b|"
        $0.cold(0)
        "  --b|"
      }
    }
  }

  @Test func timeThatStandsStillIsAFailure() {
    expectMessage("time stands still at 2. Does an action schedule itself without a delay?") {
      marbles {
        "--a"
        let scheduler = $0.scheduler
        $0[0].handleEvents(receiveOutput: { _ in
          func again() { scheduler.schedule(again) }
          again()
        })
        "--a"
      }
    }
  }

  // MARK: Places

  @Test func aFailureIsShownWhereTheTestIs() {
    let line = #line + 2
    let failures = capturedFailures {
      marbles {
        "a|"
        $0[0]
        "b|"
      }
    }
    #expect(failures.map { $0.sourceLocation?.line } == [line])
    #expect(failures.first?.sourceLocation?.fileID == #fileID)
  }

  @Test func aFailureCanBeShownElsewhere() {
    func expectPassing(_ diagram: String, line: UInt = #line, column: UInt = #column) {
      marbles(line: line, column: column) {
        diagram
        $0[0]
        "-a-|"
      }
    }
    expectPassing("-a-|")
    let failures = capturedFailures { expectPassing("-b-|") }
    #expect(failures.map { $0.sourceLocation?.line } == [#line - 1])
  }
}
