import CombineCore

/// One run of a marble test.
struct MarbleRun<P: Publisher> {

  private typealias Recorder = MarbleRecorder<P.Output, P.Failure>

  let board: MarbleBoard

  let test: MarbleTest<P>

  /// The values of the letters in the output. Without a dictionary, a letter stands for the value that it describes.
  let outputs: [Character: P.Output]?

  /// The error that `#` stands for in the output. Without it, `#` stands for any error.
  let failure: (any Error)?

  /// The time for which the test waits for unexpected events after the last column of all diagrams, in ticks.
  static var patience: Int { 1000 }

  /// Runs the test.
  ///
  /// - Returns: A description of the problem, or `nil` if the test passes.
  func problem() -> String? {
    let inputs = test.inputs.enumerated().compactMap { board.parse($1, as: .input($0)) }
    let subscriptions = test.expectations.dropFirst().enumerated().compactMap {
      board.parse($1, as: .subscriptions($0))
    }
    let output = test.expectations.first.flatMap { board.parse($0, as: .output) }
    if test.expectations.isEmpty { board.addFault("there is no diagram of the expected output") }
    if subscriptions.count > inputs.count, board.faults.isEmpty {
      board.addFault("there are more lines of subscriptions than inputs")
    }
    if let output, let outputs {
      board.check(output, as: .output) { outputs[$0] == nil ? "'\($0)' is not in the dictionary" : nil }
    }
    guard board.faults.isEmpty, let output else { return describeFaults() }
    // This checks the uses of the inputs against their lines.
    board.setInputs(inputs)
    guard board.faults.isEmpty else { return describeFaults() }

    let recorder = Recorder(board: board, end: output.end)
    board.schedule(
      start: { [publisher = test.publisher] in publisher.subscribe(recorder) },
      cancellation: output.cancellation,
      cancel: { recorder.cancel() }
    )
    let end = ([output] + inputs + subscriptions).map(\.end).max() ?? 0
    let outcome = board.advance(to: end + Self.patience)
    let traffic = subscriptions.indices.map { board.traffic(ofInput: $0) }
    recorder.release()
    // The run may have used an input for the first time.
    guard board.faults.isEmpty else { return describeFaults() }

    if case .standstill = outcome {
      return "marbles: time stands still at \(board.time). Does an action schedule itself without a delay?"
    }
    let (problem, moments) = compare(recorder.events, with: output)
    if let collector = MarbleScene.collector {
      let scene = MarbleScene(
        inputs: inputs.indices.map { MarbleScene.Line(inputs[$0], board.sent(byInput: $0)) },
        subscriptions: subscriptions.indices.map { MarbleScene.Line(subscriptions[$0], traffic[$0]) },
        output: MarbleScene.Line(output, moments),
        isExpected: problem == nil
      )
      collector.scenes.append(scene)
    }
    if let problem { return problem }
    for (index, diagram) in subscriptions.enumerated() {
      let comparison = MarbleComparison(expected: diagram.moments, actual: traffic[index], times: diagram.times)
      if let picture = comparison.picture {
        return "marbles: the subscriptions of input \(index) differ from their diagram\n\(picture)"
      }
    }
    return nil
  }

  private func describeFaults() -> String {
    board.faults.map { "marbles: \($0)" }.joined(separator: "\n")
  }

  /// Compares what the publisher has sent with the diagram of the output.
  ///
  /// - Returns: A drawing of both if they differ, and the events in the form in which they are shown.
  private func compare(
    _ events: [(time: Int, event: Recorder.Event)],
    with diagram: MarbleDiagram
  ) -> (problem: String?, moments: [MarbleMoment]) {
    var letters = MarbleLetters(outputs, used: diagram.events.map(\.mark.character))
    let expected = diagram.events.map { event in
      MarbleMoment(time: event.time, mark: event.mark.character, text: text(of: event.mark, letters))
    }
    let actual = events.enumerated().map { index, entry in
      let (time, event) = entry
      if index < expected.count, matches(diagram.events[index].mark, event, letters) {
        return MarbleMoment(time: time, mark: expected[index].mark, text: expected[index].text)
      }
      let mark =
        switch event {
        case .value(let value): MarbleDiagram.Mark.value(letters.letter(for: value))
        case .completion(.finished): MarbleDiagram.Mark.finish
        case .completion(.failure): MarbleDiagram.Mark.failure
        case .cancellation: MarbleDiagram.Mark.cancellation
        }
      return MarbleMoment(
        time: time,
        mark: mark.character,
        text: text(of: mark, letters, event),
        isUnexpected: true
      )
    }
    let subscription = diagram.drawsSubscription ? [MarbleMoment(.subscription, at: 0)] : []
    let comparison = MarbleComparison(
      expected: subscription + expected,
      actual: subscription + actual,
      times: diagram.times
    )
    guard let picture = comparison.picture else { return (nil, actual) }
    let legend = letters.assigned.map { "\n  where \(letters.description(of: $0.letter))" }.joined()
    return ("marbles: the output differs from its diagram\n\(picture)\(legend)", actual)
  }

  private func matches(_ mark: MarbleDiagram.Mark, _ event: Recorder.Event, _ letters: MarbleLetters<P.Output>) -> Bool
  {
    switch (mark, event) {
    case (.value(let letter), .value(let value)):
      return letters.matches(letter, value)
    case (.failure, .completion(.failure(let error))):
      return failure.map { areEqual($0, error as any Error) } ?? true
    case (.finish, .completion(.finished)), (.cancellation, .cancellation):
      return true
    default:
      return false
    }
  }

  private func text(
    of mark: MarbleDiagram.Mark,
    _ letters: MarbleLetters<P.Output>,
    _ event: Recorder.Event? = nil
  ) -> String {
    switch (mark, event) {
    case (.value(let letter), _): "value \(letters.description(of: letter))"
    case (.failure, .completion(.failure(let error))): "failure \(error)"
    case (.failure, _): failure.map { "failure \($0)" } ?? mark.name
    default: mark.name
    }
  }
}

extension MarbleDiagram {

  /// The range of times in the diagram.
  var times: Range<Int> { start..<max(start, end) }
}
