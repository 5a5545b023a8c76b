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

  @Test func finishedIsCodedAsSuccess() throws {
    #expect(try json(.finished) == #"{"success":true}"#)
    #expect(try completion(#"{"success":true}"#) == .finished)
  }

  @Test func aFailureIsCodedWithItsError() throws {
    #expect(try json(.failure("a")) == #"{"error":{"description":"a"},"success":false}"#)
    #expect(try completion(#"{"error":{"description":"a"},"success":false}"#) == .failure("a"))
  }

  @Test func aSuccessDoesNotLookAtTheError() throws {
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
}
