import CombineCore
import Foundation
import TestSupport
import Testing

// DeliveryLoopTests tests the demand loop, which a sequence has too.
@Suite struct RecordTests {

  private typealias IntRecord = Record<Int, TestError>

  @Test func playsTheValuesAndThenTheFailureWithoutFurtherDemand() {
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .max(2))
    IntRecord(output: [1, 2], completion: .failure("oops")).subscribe(subscriber)
    #expect(subscriber.events == [.subscription("[1, 2]"), .value(1), .value(2), .failure("oops")])
  }

  @Test func aRecordWithoutValuesSendsItsCompletionWithoutDemand() {
    for (completion, event) in [
      (Subscribers.Completion<TestError>.finished, Event<Int>.finished), (.failure("oops"), .failure("oops")),
    ] {
      let subscriber = RecordingSubscriber<Int, TestError>(onSubscription: { $0.cancel() })
      IntRecord(output: [], completion: completion).subscribe(subscriber)
      #expect(subscriber.events == [.subscription("Empty"), event])
    }
  }

  @Test func runsItsClosureOnceToRecord() {
    var calls = 0
    let record = IntRecord { recording in
      calls += 1
      recording.receive(1)
      recording.receive(2)
      recording.receive(completion: .failure("oops"))
    }
    for _ in 0..<2 {
      let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
      record.subscribe(subscriber)
      #expect(subscriber.events == [.subscription("[1, 2]"), .value(1), .value(2), .failure("oops")])
    }
    #expect(calls == 1)
  }

  @Test func finishesIfNoCompletionWasRecorded() {
    let record = IntRecord { $0.receive(1) }
    #expect(record.recording.completion == .finished)
    let subscriber = RecordingSubscriber<Int, TestError>(requesting: .unlimited)
    record.subscribe(subscriber)
    #expect(subscriber.events == [.subscription("[1]"), .value(1), .finished])
  }

  @Test func holdsItsRecording() {
    let recording = IntRecord.Recording(output: [1, 2], completion: .failure("oops"))
    let record = IntRecord(recording: recording)
    #expect(record.recording.output == [1, 2])
    #expect(record.recording.completion == .failure("oops"))
  }

  @Test(arguments: [true, false])
  func reflectsItself(finishes: Bool) {
    let completion: Subscribers.Completion<TestError> = finishes ? .finished : .failure("oops")
    let subscriber = RecordingSubscriber<Int, TestError>()
    IntRecord(output: [1, 2], completion: completion).subscribe(subscriber)
    let subscription = subscriber.subscription!

    func expect(description: String, sequence: [Int]) {
      expectReflection(of: subscription, description: description, children: ["sequence", "completion"])
      #expect(reflectedChild("sequence", of: subscription) as? [Int] == sequence)
      #expect("\(type(of: reflectedChild("sequence", of: subscription)!))" == "Array<Int>")
      #expect(reflectedChild("completion", of: subscription) as? Subscribers.Completion<TestError> == completion)
    }

    expect(description: "[1, 2]", sequence: [1, 2])
    subscriber.request(.max(1))
    expect(description: "[1, 2]", sequence: [1, 2])
    if finishes { subscriber.request(.max(1)) } else { subscriber.cancel() }
    expect(description: "Cancelled Events", sequence: [])
  }

  @Test func comparesWithNothing() {
    let record: Any = IntRecord(output: [], completion: .finished)
    let recording: Any = IntRecord.Recording()
    #expect(!(record is any Equatable))
    #expect(!(recording is any Equatable))
  }

  @Test func isSendableWhenTheOutputIs() {
    let record: any Sendable & Publisher = IntRecord(output: [1], completion: .finished)
    #expect(record is IntRecord)
    let recording: any Sendable = IntRecord.Recording()
    #expect(recording is IntRecord.Recording)
  }

  // MARK: Recording

  @Test func aNewRecordingIsOpenAndEmpty() {
    var recording = IntRecord.Recording()
    #expect(recording.output == [])
    #expect(recording.completion == .finished)
    recording.receive(1)
    recording.receive(2)
    #expect(recording.output == [1, 2])
    #expect(recording.completion == .finished)
    recording.receive(completion: .failure("oops"))
    #expect(recording.output == [1, 2])
    #expect(recording.completion == .failure("oops"))
  }

  @Test func theCompletionOfARecordingMadeOfValuesIsFinishedByDefault() {
    #expect(IntRecord.Recording(output: [1]).completion == .finished)
  }

  @Test func aCopyOfAnOpenRecordingIsIndependent() {
    let record = IntRecord { $0.receive(1) }
    var copy = record.recording
    copy.receive(2)
    copy.receive(completion: .failure("oops"))
    #expect(copy.output == [1, 2])
    #expect(copy.completion == .failure("oops"))
    #expect(record.recording.output == [1])
    #expect(record.recording.completion == .finished)
  }

  // MARK: Coding

  private func json<T: Encodable>(_ value: T) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  @Test func encodesToJSON() throws {
    #expect(
      try json(IntRecord(output: [1, 2], completion: .finished))
        == #"{"recording":{"completion":{"success":true},"output":[1,2]}}"#
    )
    #expect(
      try json(IntRecord(output: [], completion: .failure("oops")))
        == #"{"recording":{"completion":{"error":{"description":"oops"},"success":false},"output":[]}}"#
    )
    // The encoded form does not distinguish an open recording from a complete one.
    #expect(try json(IntRecord.Recording()) == #"{"completion":{"success":true},"output":[]}"#)
  }

  @Test(arguments: [Subscribers.Completion<TestError>.finished, .failure("oops")])
  func decodesFromJSON(completion: Subscribers.Completion<TestError>) throws {
    let data = try JSONEncoder().encode(IntRecord(output: [1, 2], completion: completion))
    let record = try JSONDecoder().decode(IntRecord.self, from: data)
    #expect(record.recording.output == [1, 2])
    #expect(record.recording.completion == completion)
  }

  @Test(arguments: [
    ("{}", "recording"),
    (#"{"recording":{"completion":{"success":true}}}"#, "output"),
    (#"{"recording":{}}"#, "output"),
    (#"{"recording":{"output":[1]}}"#, "completion"),
  ])
  func decodingNeedsEachKeyAndReadsTheValuesFirst(text: String, missing: String) {
    #expect {
      try JSONDecoder().decode(IntRecord.self, from: Data(text.utf8))
    } throws: { error in
      guard case DecodingError.keyNotFound(let key, _)? = error as? DecodingError else { return false }
      return key.stringValue == missing
    }
  }

  @Test func encodesARecordByOneCall() throws {
    let encoder = LoggingEncoder()
    try IntRecord(output: [1], completion: .finished).encode(to: encoder)
    #expect(
      encoder.log == [
        "keyed container", "recording: Recording", "  keyed container", "  output: Array<Int>",
        "    unkeyed container", "    Int", "  completion: Completion<TestError>", "    keyed container",
        "    success: Bool true",
      ]
    )
  }

  @Test(arguments: [true, false])
  func encodesARecordingValuesFirst(intoEncoder: Bool) throws {
    let recording = IntRecord.Recording(output: [1, 2], completion: .failure("oops"))
    let encoder = LoggingEncoder()
    if intoEncoder { try recording.encode(into: encoder) } else { try recording.encode(to: encoder) }
    #expect(
      encoder.log == [
        "keyed container", "output: Array<Int>", "  unkeyed container", "  Int", "  Int",
        "completion: Completion<TestError>", "  keyed container", "  success: Bool false", "  error: TestError",
        "    keyed container", "    description: String",
      ]
    )
  }
}

/// Logs its calls, and traps on those that must not be made.
private final class LoggingEncoder: Encoder {

  private(set) var log: [String] = []
  private var depth = 0

  fileprivate func note(_ text: String) {
    log.append(String(repeating: "  ", count: depth) + text)
  }

  fileprivate func encode<T: Encodable>(_ value: T, as name: String) throws {
    note(name + "\(T.self)".replacing("Record<Int, TestError>.", with: ""))
    depth += 1
    if !(value is Int) { try value.encode(to: self) }
    depth -= 1
  }

  var codingPath: [any CodingKey] { fatalError("the coding path was looked at") }
  var userInfo: [CodingUserInfoKey: Any] { fatalError("the user's information was looked at") }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    note("keyed container")
    return KeyedEncodingContainer(Keyed<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    note("unkeyed container")
    return Unkeyed(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    fatalError("a single value container was asked for")
  }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {

    let encoder: LoggingEncoder

    var codingPath: [any CodingKey] { fatalError("the coding path was looked at") }

    mutating func encodeNil(forKey key: Key) throws { encoder.note("\(key.stringValue): nil") }

    mutating func encode(_ value: Bool, forKey key: Key) throws {
      encoder.note("\(key.stringValue): Bool \(value)")
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
      encoder.note("\(key.stringValue): String")
    }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      try encoder.encode(value, as: "\(key.stringValue): ")
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type,
      forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
      fatalError("a nested container was asked for")
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      fatalError("a nested container was asked for")
    }

    mutating func superEncoder() -> any Encoder { fatalError("a super encoder was asked for") }
    mutating func superEncoder(forKey key: Key) -> any Encoder { fatalError("a super encoder was asked for") }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {

    let encoder: LoggingEncoder
    var count = 0

    init(encoder: LoggingEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { fatalError("the coding path was looked at") }

    mutating func encodeNil() throws { encoder.note("nil") }

    mutating func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value, as: "") }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
      fatalError("a nested container was asked for")
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      fatalError("a nested container was asked for")
    }

    mutating func superEncoder() -> any Encoder { fatalError("a super encoder was asked for") }
  }
}
