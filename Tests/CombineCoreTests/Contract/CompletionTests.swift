import CombineCore
import Foundation
import TestSupport
import Testing

@Suite struct CompletionTests {

  typealias Completion = Subscribers.Completion<TestError>

  private func json(_ completion: Completion) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(completion), as: UTF8.self)
  }

  private func completion(_ json: String) throws -> Completion {
    try JSONDecoder().decode(Completion.self, from: Data(json.utf8))
  }

  @Test func finishedIsEncodedAsSuccess() throws {
    #expect(try json(.finished) == #"{"success":true}"#)
    #expect(try completion(#"{"success":true}"#) == .finished)
  }

  @Test func aFailureIsEncodedWithItsError() throws {
    #expect(try json(.failure("a")) == #"{"error":{"description":"a"},"success":false}"#)
    #expect(try completion(#"{"error":{"description":"a"},"success":false}"#) == .failure("a"))
  }

  @Test func decodingASuccessIgnoresTheError() throws {
    #expect(try completion(#"{"success":true,"error":1}"#) == .finished)
  }

  @Test func aFailureWithoutAnErrorIsAMissingKey() {
    #expect {
      try completion(#"{"success":false}"#)
    } throws: { error in
      guard case DecodingError.keyNotFound(let key, _) = error else { return false }
      return key.stringValue == "error"
    }
  }

  @Test func comparesAndHashes() {
    #expect(Completion.finished == .finished)
    #expect(Completion.failure("a") != .failure("b"))
    #expect(Set([Completion.finished, .finished, .failure("a")]).count == 2)
  }

  @Test func hasNoDescriptionOfItsOwn() {
    #expect(!(Completion.finished as Any is any CustomStringConvertible))
    #expect(String(describing: Completion.finished) == "finished")
    #expect(String(describing: Completion.failure("a")) == "failure(a)")
  }

  private struct OnlyEncodable: Error, Encodable {}
  private struct OnlyDecodable: Error, Decodable {}

  @Test func conformsToWhatItsFailureConformsTo() {
    func kinds(_ completion: Any) -> [Bool] {
      [
        completion is any Encodable, completion is any Decodable, completion is any Equatable,
        completion is any Hashable,
      ]
    }
    #expect(kinds(Completion.finished) == [true, true, true, true])
    #expect(kinds(Subscribers.Completion<OnlyEncodable>.finished) == [true, false, false, false])
    #expect(kinds(Subscribers.Completion<OnlyDecodable>.finished) == [false, true, false, false])
  }

  /// Logs the values written into its keyed container, in order.
  private struct Transcript: Encoder {
    final class Log {
      var entries: [String] = []
    }

    let log = Log()
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      KeyedEncodingContainer(Container<Key>(log: log))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { fatalError("a keyed container is expected") }
    func singleValueContainer() -> any SingleValueEncodingContainer { fatalError("a keyed container is expected") }

    struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
      let log: Log
      var codingPath: [any CodingKey] { [] }

      mutating func encodeNil(forKey key: Key) { log.entries.append("\(key.stringValue) nil") }

      mutating func encode<T: Encodable>(_ value: T, forKey key: Key) {
        log.entries.append("\(key.stringValue) \(T.self) \(value)")
      }

      mutating func encode(_ value: Bool, forKey key: Key) { log.entries.append("\(key.stringValue) Bool \(value)") }

      mutating func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) -> KeyedEncodingContainer<N> {
        fatalError("nothing nested is expected")
      }

      mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        fatalError("nothing nested is expected")
      }

      mutating func superEncoder() -> any Encoder { fatalError("nothing nested is expected") }
      mutating func superEncoder(forKey key: Key) -> any Encoder { fatalError("nothing nested is expected") }
    }
  }

  @Test func writesSuccessFirstAndNothingElse() throws {
    let transcript = Transcript()
    try Completion.finished.encode(to: transcript)
    try Completion.failure("a").encode(to: transcript)
    #expect(transcript.log.entries == ["success Bool true", "success Bool false", "error TestError a"])
  }
}
