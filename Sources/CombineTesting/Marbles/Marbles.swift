import CombineCore

/// Runs a test that is drawn as a picture.
///
/// Its lines are the events of the inputs, the publisher under test, and the events that the publisher should send.
///
/// ```swift
/// marbles {
///   "a--bc----|"
///   $0[0].debounce(for: 2, scheduler: $0.scheduler)
///   "--a---c--|"
/// }
/// ```
///
/// A character is one tick of a virtual clock, which belongs to the context's ``MarbleContext/scheduler``. So the test
/// takes no real time.
///
/// | character | what happens |
/// |---|---|
/// | `-` | nothing, for one tick |
/// | a letter or digit | a value |
/// | `\|` | the publisher finishes |
/// | `#` | the publisher fails; inputs do so with ``MarbleError`` |
/// | `(ab\|)` | several events at the time of the parenthesis, in this order. The group takes as many ticks as it has characters, so events in the same column occur at the same time. |
/// | `^` | the publisher under test is subscribed to. This is time zero. Without it, time zero is the first column. Events of an input to the left of it occur before the subscription. |
/// | `!` | in the expected output: the subscription is cancelled, before all other events at that time |
/// | a space | nothing. It takes no time and serves to align the lines. |
///
/// A letter of an input is a value of type `String`. A letter of the expected output stands for the value of any type
/// that it describes, unless there is a dictionary:
///
/// ```swift
/// marbles(outputs: ["x": "ab", "y": "cd"]) {
///   "-a-b-c-d-|"
///   $0[0].collect(2).map { $0.joined() }
///   "---x---y-|"
/// }
/// ```
///
/// Lines after the expected output are optional. They show when the inputs are subscribed to and cancelled, the first
/// line for the first input:
///
/// ```swift
/// marbles {
///   "--a--b--c--|"
///   $0[0].first()
///   "--(a|)"
///   "^-!"
/// }
/// ```
///
/// At the same time, the subscription or cancellation comes first. The events of the inputs follow in the order of
/// their lines, and then the actions that the publisher has scheduled.
///
/// The subscriber's demand is unlimited. The test continues for 1000 ticks after the last column of all lines, to
/// detect unexpected events.
///
/// All events must occur on the thread of the test. Operators that take time must use the context's scheduler.
///
/// If the output differs, the running test fails. The message shows both diagrams and marks the first difference. If a
/// diagram cannot be parsed, the test fails too, and the message marks the fault. Both Swift Testing and XCTest are
/// supported.
///
/// - Parameters:
///   - outputs: The values that the letters of the expected output stand for. A letter without a value fails the test.
///     Values are compared with `==` if they are equatable, and otherwise by identity or, as for tuples, by their
///     textual descriptions.
///   - failure: The error that `#` stands for in the expected output. With `nil`, it stands for any error.
///   - fileID: The place at which a failure is reported.
///   - filePath: The place at which a failure is reported.
///   - line: The place at which a failure is reported.
///   - column: The place at which a failure is reported.
///   - picture: A closure that contains the lines of the inputs, the publisher, and the line of its expected output.
///     Its argument provides the inputs and the scheduler.
public func marbles<P: Publisher>(
  outputs: [Character: P.Output] = [:],
  failure: (any Error)? = nil,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  @MarbleBuilder _ picture: (MarbleContext<String>) -> MarbleTest<P>
) {
  run(
    picture,
    values: .converted { String($0) },
    outputs: outputs.isEmpty ? nil : outputs,
    failure: failure,
    at: CallSite(fileID, filePath, line, column)
  )
}

/// Runs a test that is drawn as a picture, with values converted from their letters.
///
/// It is ``marbles(outputs:failure:fileID:filePath:line:column:_:)`` for numbers, and for other types whose values can
/// be written as one character.
///
/// ```swift
/// marbles(of: Int.self) {
///   "1--2--3--|"
///   $0[0].scan(0, +)
///   "1--3--6--|"
/// }
/// ```
///
/// - Parameters:
///   - type: The type of the inputs' values. A letter that cannot be converted to it fails the test.
///   - outputs: The values that the letters of the expected output stand for. A letter without a value fails the test.
///   - failure: The error that `#` stands for in the expected output. With `nil`, it stands for any error.
///   - fileID: The place at which a failure is reported.
///   - filePath: The place at which a failure is reported.
///   - line: The place at which a failure is reported.
///   - column: The place at which a failure is reported.
///   - picture: A closure that contains the lines of the inputs, the publisher, and the line of its expected output.
///     Its argument provides the inputs and the scheduler.
public func marbles<Value: LosslessStringConvertible, P: Publisher>(
  of type: Value.Type,
  outputs: [Character: P.Output] = [:],
  failure: (any Error)? = nil,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  @MarbleBuilder _ picture: (MarbleContext<Value>) -> MarbleTest<P>
) {
  run(
    picture,
    values: .converted { Value(String($0)) },
    outputs: outputs.isEmpty ? nil : outputs,
    failure: failure,
    at: CallSite(fileID, filePath, line, column)
  )
}

/// Runs a test that is drawn as a picture, with values named by letters.
///
/// It is ``marbles(outputs:failure:fileID:filePath:line:column:_:)`` with a dictionary for the inputs. The dictionary
/// also applies to the expected output, if that has values of the same type and no other dictionary.
///
/// ```swift
/// marbles(values: ["a": 10, "b": 20, "x": 11, "y": 21]) {
///   "--a--b--|"
///   $0[0].map { $0 + 1 }
///   "--x--y--|"
/// }
/// ```
///
/// - Parameters:
///   - values: The values that the letters of the inputs stand for. A letter without a value fails the test.
///   - outputs: The values that the letters of the expected output stand for. A letter without a value fails the test.
///   - failure: The error that `#` stands for in the expected output. With `nil`, it stands for any error.
///   - fileID: The place at which a failure is reported.
///   - filePath: The place at which a failure is reported.
///   - line: The place at which a failure is reported.
///   - column: The place at which a failure is reported.
///   - picture: A closure that contains the lines of the inputs, the publisher, and the line of its expected output.
///     Its argument provides the inputs and the scheduler.
public func marbles<Value, P: Publisher>(
  values: [Character: Value],
  outputs: [Character: P.Output] = [:],
  failure: (any Error)? = nil,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column,
  @MarbleBuilder _ picture: (MarbleContext<Value>) -> MarbleTest<P>
) {
  // The types are compared, because a cast of the dictionary alone would convert its values if it can.
  let inherited = Value.self == P.Output.self ? values as? [Character: P.Output] : nil
  run(
    picture,
    values: .dictionary(values),
    outputs: outputs.isEmpty ? inherited : outputs,
    failure: failure,
    at: CallSite(fileID, filePath, line, column)
  )
}

private func run<Value, P: Publisher>(
  _ picture: (MarbleContext<Value>) -> MarbleTest<P>,
  values: MarbleValues<Value>,
  outputs: [Character: P.Output]?,
  failure: (any Error)?,
  at callSite: CallSite
) {
  let board = MarbleBoard()
  let test = picture(MarbleContext(board: board, values: values))
  let run = MarbleRun(board: board, test: test, outputs: outputs, failure: failure)
  if let problem = run.problem() { TestFailure.record(problem, at: callSite) }
}
