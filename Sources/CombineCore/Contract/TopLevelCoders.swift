/// A protocol for encoders that turn one value into one piece of output, such as a JSON document.
public protocol TopLevelEncoder {

  /// The type that the encoder produces.
  associatedtype Output

  /// Encodes a value.
  ///
  /// - Parameter value: The value to encode.
  /// - Returns: The encoded value.
  /// - Throws: An error, if the value cannot be encoded.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// A protocol for decoders that turn one piece of input, such as a JSON document, into a value.
public protocol TopLevelDecoder {

  /// The type that the decoder reads.
  associatedtype Input

  /// Decodes a value.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - from: The input to decode.
  /// - Returns: The decoded value.
  /// - Throws: An error, if the input does not hold a value of that type.
  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}
