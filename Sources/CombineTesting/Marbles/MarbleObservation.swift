import CombineCore

/// What a publisher has done in a run without an expectation, for a program that lets a person play with diagrams.
@_spi(Diagrams)
public struct MarbleObservation<Output, Failure: Error> {

  /// What the publisher has sent, with the number of ticks since the subscription.
  public let signals: [(time: Int, signal: Signal<Output, Failure>)]

  /// Why the run could not be made or had to stop, or `nil`.
  public let problem: String?
}

extension MarbleScene {

  /// Runs a publisher as ``marbles(of:outputs:failure:fileID:filePath:line:column:_:)`` does, and compares nothing.
  ///
  /// - Parameters:
  ///   - type: The type of the inputs' values.
  ///   - inputs: The diagrams of the inputs.
  ///   - ticks: The number of ticks of the run. The subscription is cancelled if there is an event at that time or later.
  ///   - publisher: A closure that builds the publisher from the inputs and the scheduler.
  /// - Returns: The events, and the problem if there was one.
  public static func observing<Value: LosslessStringConvertible, P: Publisher>(
    of type: Value.Type,
    inputs: [String],
    for ticks: Int,
    _ publisher: (MarbleContext<Value>) -> P
  ) -> MarbleObservation<P.Output, P.Failure> {
    let board = MarbleBoard()
    let tested = publisher(MarbleContext(board: board, values: .converted { Value(String($0)) }))
    let recorder = MarbleRecorder<P.Output, P.Failure>(board: board, end: ticks)
    func observation(_ problem: String?) -> MarbleObservation<P.Output, P.Failure> {
      let signals = recorder.events.compactMap { time, event -> (time: Int, signal: Signal<P.Output, P.Failure>)? in
        switch event {
        case .value(let value): (time, .input(value))
        case .completion(let completion): (time, .completion(completion))
        case .cancellation: nil
        }
      }
      return MarbleObservation(signals: signals, problem: problem)
    }
    let diagrams = inputs.enumerated().compactMap { board.parse($1, as: .input($0)) }
    guard board.faults.isEmpty else { return observation(board.faults.joined(separator: "\n")) }
    board.setInputs(diagrams)
    guard board.faults.isEmpty else { return observation(board.faults.joined(separator: "\n")) }

    board.schedule(start: { tested.subscribe(recorder) }, cancellation: nil, cancel: {})
    let outcome = board.advance(to: ticks)
    let stop = board.time
    recorder.release()
    // A cold input that was subscribed to late has events left. Their actions retain the board.
    _ = board.advance(to: 2 * ticks)
    if case .standstill = outcome { return observation("time stands still at \(stop)") }
    return observation(board.faults.isEmpty ? nil : board.faults.joined(separator: "\n"))
  }
}
