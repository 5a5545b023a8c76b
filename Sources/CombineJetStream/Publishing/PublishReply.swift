#if JetStream
  import CombineCore
  import Foundation

  /// The server's word that a message is stored.
  public struct PublishAcknowledgement: Sendable, Hashable {

    /// The name of the stream that has stored the message.
    public let stream: String

    /// The number of the message in the stream.
    public let sequence: UInt64

    /// Whether the stream had a message with this id already, and has dropped this one.
    public let isDuplicate: Bool

    /// The id of the message, if it had one.
    public let id: String?
  }

  /// The answer of the server to a publish.
  ///
  /// An acknowledgement is read byte by byte, because there is one for each message. An error is rare, and decoded as JSON.
  enum PublishReply: Equatable {

    case stored(stream: String, sequence: UInt64, isDuplicate: Bool)
    case failed(JetStreamError)

    init(_ bytes: UnsafeRawBufferPointer) {
      if Self.end(of: #""error":"#, in: bytes) != nil {
        self = .failed(Self.error(bytes))
      } else if let sequence = Self.number(after: #""seq":"#, in: bytes),
        let stream = Self.text(after: #""stream":"#, in: bytes)
      {
        let duplicate = Self.end(of: #""duplicate":"#, in: bytes)
        let isDuplicate = duplicate.map { bytes[$0...].drop { $0 == 32 }.starts(with: "true".utf8) }
        self = .stored(stream: stream, sequence: sequence, isDuplicate: isDuplicate ?? false)
      } else {
        self = .failed(
          JetStreamError(.other, text: "not an acknowledgement: \(String(decoding: bytes, as: UTF8.self))")
        )
      }
    }

    private static func number(after key: StaticString, in bytes: UnsafeRawBufferPointer) -> UInt64? {
      guard let start = end(of: key, in: bytes) else { return nil }
      let digits = bytes[start...].drop { $0 == 32 }.prefix { $0 >= 48 && $0 <= 57 }
      guard !digits.isEmpty, digits.count < 20 else { return nil }
      return digits.reduce(0) { $0 &* 10 &+ UInt64($1 &- 48) }
    }

    /// Names of streams have no quotes and no escapes.
    private static func text(after key: StaticString, in bytes: UnsafeRawBufferPointer) -> String? {
      guard let start = end(of: key, in: bytes) else { return nil }
      let quoted = bytes[start...].drop { $0 == 32 }
      guard quoted.first == UInt8(ascii: "\"") else { return nil }
      return String(decoding: quoted.dropFirst().prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    /// Returns the index behind the first occurrence of a key.
    private static func end(of key: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
      let key = UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
      var start = 0
      while start + key.count <= bytes.count {
        if bytes[start] == key[0], bytes[start..<start + key.count].elementsEqual(key) { return start + key.count }
        start += 1
      }
      return nil
    }

    private struct Body: Decodable {
      struct Details: Decodable {
        var code: Int?
        var err_code: Int?
        var description: String?
      }
      var error: Details
    }

    private static func error(_ bytes: UnsafeRawBufferPointer) -> JetStreamError {
      guard let error = try? JSONDecoder().decode(Body.self, from: Data(bytes)).error else {
        return JetStreamError(.other, text: String(decoding: bytes, as: UTF8.self))
      }
      return JetStreamError(status: error.code ?? 0, code: error.err_code ?? 0, text: error.description ?? "")
    }
  }
#endif
