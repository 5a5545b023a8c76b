extension Subscribers {

  /// The way in which a publisher completed: normally or with an error.
  @frozen
  public enum Completion<Failure: Error>: Sendable {

    /// The publisher finished without an error.
    case finished

    /// The publisher failed with an error.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}

extension Subscribers.Completion: Hashable where Failure: Hashable {}

extension Subscribers.Completion {

  private enum CodingKeys: String, CodingKey {
    case success
    case error
  }
}

extension Subscribers.Completion: Encodable where Failure: Encodable {

  /// Writes `success` into a keyed container, and for a failure also `error`.
  ///
  /// - Parameter encoder: The encoder that this value is written to.
  /// - Throws: An error that the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .finished:
      try container.encode(true, forKey: .success)
    case .failure(let error):
      try container.encode(false, forKey: .success)
      try container.encode(error, forKey: .error)
    }
  }
}

extension Subscribers.Completion: Decodable where Failure: Decodable {

  /// Reads `success` from a keyed container, and `error` if `success` is false.
  ///
  /// - Parameter decoder: The decoder that the value is read from.
  /// - Throws: `DecodingError.keyNotFound` if a required key is missing, or an error that the decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if try container.decode(Bool.self, forKey: .success) {
      self = .finished
    } else {
      self = .failure(try container.decode(Failure.self, forKey: .error))
    }
  }
}

extension Subscribers.Completion {

  /// The same completion with its error erased.
  @inlinable
  func erasingFailure() -> Subscribers.Completion<any Error> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(error)
    }
  }

  /// The same completion with its error mapped.
  @inlinable
  func mapFailure<NewFailure: Error>(_ transform: (Failure) -> NewFailure) -> Subscribers.Completion<NewFailure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(transform(error))
    }
  }
}
