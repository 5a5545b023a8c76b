import CombineFoundation
import Foundation
import TestSupport
import Testing

@Suite struct TopLevelCodersTests {

  private typealias Completions = [Subscribers.Completion<TestError>]

  private let xmlEncoder: PropertyListEncoder = {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    return encoder
  }()

  private let xml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <array>
    \t<dict>
    \t\t<key>success</key>
    \t\t<true/>
    \t</dict>
    </array>
    </plist>

    """

  // Uses the protocols only, as the operators `encode` and `decode` do.

  private func encode<Coder: TopLevelEncoder>(_ value: some Encodable, _ encoder: Coder) throws -> String
  where Coder.Output == Data {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode<Value: Decodable, Coder: TopLevelDecoder>(_ text: String, _ decoder: Coder) throws -> Value
  where Coder.Input == Data {
    try decoder.decode(Value.self, from: Data(text.utf8))
  }

  @Test func jsonCodesCompletions() throws {
    let text = try encode([.finished] as Completions, JSONEncoder())
    #expect(text == #"[{"success":true}]"#)
    #expect(try decode(text, JSONDecoder()) == [.finished] as Completions)
  }

  @Test func propertyListsCodeCompletions() throws {
    #expect(try encode([.finished] as Completions, xmlEncoder) == xml)
    #expect(try decode(xml, PropertyListDecoder()) == [.finished] as Completions)
  }

  @Test func valuesThatCannotBeEncodedThrow() {
    func isInvalidValue(_ error: any Error) -> Bool {
      if case EncodingError.invalidValue = error { true } else { false }
    }
    #expect { try encode(Double.nan, JSONEncoder()) } throws: { isInvalidValue($0) }
    #expect { try encode(Double.nan, PropertyListEncoder()) } throws: { isInvalidValue($0) }
    #expect { try encode(1, PropertyListEncoder()) } throws: { isInvalidValue($0) }
    #expect(throws: Never.self) { try encode(1, JSONEncoder()) }
  }

  @Test func wrongInputThrowsATypeMismatch() {
    func isTypeMismatch(_ error: any Error) -> Bool {
      if case DecodingError.typeMismatch = error { true } else { false }
    }
    #expect { try decode(#"{"a":1,"b":2}"#, JSONDecoder()) as [Int] } throws: { isTypeMismatch($0) }
    #expect { try decode("000000", PropertyListDecoder()) as [Int] } throws: { isTypeMismatch($0) }
  }

  @Test func theOperatorsUseTheCoders() {
    var events: [String] = []
    _ = Just([.finished] as Completions)
      .encode(encoder: xmlEncoder)
      .decode(type: Completions.self, decoder: PropertyListDecoder())
      .sink(receiveCompletion: { events.append("\($0)") }, receiveValue: { events.append("\($0 == [.finished])") })
    _ = Just(Double.nan)
      .encode(encoder: JSONEncoder())
      .sink(
        receiveCompletion: {
          if case .failure(EncodingError.invalidValue) = $0 { events.append("invalid value") }
        },
        receiveValue: { _ in events.append("value") }
      )
    _ = Just(Data(#"{"a":1,"b":2}"#.utf8))
      .decode(type: [Int].self, decoder: JSONDecoder())
      .sink(
        receiveCompletion: {
          if case .failure(DecodingError.typeMismatch) = $0 { events.append("type mismatch") }
        },
        receiveValue: { _ in events.append("value") }
      )
    #expect(events == ["true", "finished", "invalid value", "type mismatch"])
  }

  @Test func missingKeyAndNil() throws {
    struct Required: Decodable { var key: Int }
    #expect(try encode(Int?.none, JSONEncoder()) == "null")
    #expect {
      try decode("{}", JSONDecoder()) as Required
    } throws: {
      if case DecodingError.keyNotFound = $0 { true } else { false }
    }
  }
}
