import CombineCore

/// Runs a test that is a picture: the events of the inputs, the publisher under test, and the events that it should
/// send, one above the other.
///
/// ```swift
/// marbles {
///   "a--bc----|"
///   $0[0].debounce(for: 2, scheduler: $0.scheduler)
///   "--a---c--|"
/// }
/// ```
///
/// A character is one tick of a virtual clock, which is that of the context's ``MarbleContext/scheduler``: the test
/// takes no time.
///
/// | character | what happens |
/// |---|---|
/// | `-` | nothing, for one tick |
/// | a letter or digit | a value |
/// | `\|` | the publisher finishes |
/// | `#` | the publisher fails; inputs do so with ``MarbleError`` |
/// | `(ab\|)` | several events at one time, that of the parenthesis, in this order. The group takes as many ticks as it has characters, so that what stands in one column happens at one time. |
/// | `^` | the publisher under test is subscribed to. This is time zero; without it, time zero is the first column. What an input draws to the left of it happens before. |
/// | `!` | in the expected output: the subscription is cancelled, before all else that happens at that time |
/// | a space | nothing, and takes no time: for alignment |
///
/// A letter of an input is a value of type `String`. One of the expected output stands for the value that is described
/// by it, in any type, unless there is a dictionary:
///
/// ```swift
/// marbles(outputs: ["x": "ab", "y": "cd"]) {
///   "-a-b-c-d-|"
///   $0[0].collect(2).map { $0.joined() }
///   "---x---y-|"
/// }
/// ```
///
/// Lines behind the expected output, if there are any, say when the inputs are subscribed to and cancelled, the first
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
/// At one time, the subscription or cancellation comes first, then the events of the inputs in the order of their
/// lines, then what the publisher has scheduled. The subscriber's demand is unlimited. The test goes on for 1000 ticks
/// after the last column of any line, to see whether something comes that should not.
///
/// All that happens is to happen on the thread of the test: what takes time is scheduled on the context's scheduler.
///
/// If the output differs, or a diagram cannot be read, the running test fails, be it one of Swift Testing or of XCTest,
/// with both pictures and a mark at the first difference, or with a mark at the faulty place.
///
/// - Parameters:
///   - outputs: The values that the letters of the expected output stand for; a letter that is not among them fails the
///     test. Equal are values that are so by `==`; without it, identical objects, or values that describe themselves in
///     the same way, as tuples do.
///   - failure: The error that `#` stands for in the expected output; any if `nil`.
///   - fileID: The place at which a failure is reported.
///   - filePath: The place at which a failure is reported.
///   - line: The place at which a failure is reported.
///   - column: The place at which a failure is reported.
///   - picture: The lines of inputs, the publisher, the line of its expected output. It is passed the inputs and the
///     scheduler.
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

/// Runs a test that is a picture, with values that are made of their letters.
///
/// It is ``marbles(outputs:failure:fileID:filePath:line:column:_:)`` for numbers, and other types whose values can be
/// written as one character.
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
///   - type: The type of the inputs' values; a letter of which it makes none fails the test.
///   - outputs: The values that the letters of the expected output stand for; a letter that is not among them fails the
///     test.
///   - failure: The error that `#` stands for in the expected output; any if `nil`.
///   - fileID: The place at which a failure is reported.
///   - filePath: The place at which a failure is reported.
///   - line: The place at which a failure is reported.
///   - column: The place at which a failure is reported.
///   - picture: The lines of inputs, the publisher, the line of its expected output. It is passed the inputs and the
///     scheduler.
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

/// Runs a test that is a picture, with values that have letters for names.
///
/// It is ``marbles(outputs:failure:fileID:filePath:line:column:_:)`` with a dictionary for the inputs. It is used for
/// the expected output too, where that has values of the same type and no dictionary of its own.
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
///   - values: The values that the letters of the inputs stand for; a letter that is not among them fails the test.
///   - outputs: The values that the letters of the expected output stand for; a letter that is not among them fails the
///     test.
///   - failure: The error that `#` stands for in the expected output; any if `nil`.
///   - fileID: The place at which a failure is reported.
///   - filePath: The place at which a failure is reported.
///   - line: The place at which a failure is reported.
///   - column: The place at which a failure is reported.
///   - picture: The lines of inputs, the publisher, the line of its expected output. It is passed the inputs and the
///     scheduler.
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
  // By the type, not by a cast of the dictionary, which converts its values where it can.
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
