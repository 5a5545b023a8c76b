/// A publisher that plays back recorded elements and a completion.
///
/// Each subscriber receives the whole recording. The elements follow its demand, and the completion follows the last
/// element immediately.
///
/// ```swift
/// marbles { _ in
///   Record<String, MarbleError>(output: ["a", "b"], completion: .failure(MarbleError()))
///   "(ab#)"
/// }
/// ```
///
/// ```swift
/// let record = Record<Int, Never> { recording in
///   recording.receive(1)
///   recording.receive(2)
///   recording.receive(completion: .finished)
/// }
/// let cancellable = record.sink { print($0) }  // prints 1, 2
/// ```
public struct Record<Output, Failure: Error>: Publisher {

  /// The recording that the publisher plays back.
  public let recording: Recording

  /// Creates a record from a closure that fills a recording.
  ///
  /// - Parameter record: A closure that receives an empty recording to fill. It is called once, before this initializer
  ///   returns. If it records no completion, subscribers receive `.finished`.
  @inlinable
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  /// Creates a record from a recording.
  ///
  /// - Parameter recording: The recording that the publisher plays back.
  @inlinable
  public init(recording: Recording) {
    self.recording = recording
  }

  /// Creates a record from elements and a completion.
  ///
  /// - Parameters:
  ///   - output: The elements.
  ///   - completion: The completion that follows the last element.
  @inlinable
  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  /// Subscribes `subscriber` and begins to play back the recording.
  ///
  /// If the recording has no elements, the subscriber receives the completion immediately.
  @inlinable
  @inline(__always)
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    Conduits.Sequence.subscribe(
      subscriber,
      to: recording.output,
      completion: recording.completion,
      reflection: .record(of: Output.self, completion: recording.completion)
    )
  }

  /// Recorded elements and a completion.
  ///
  /// A recording is open until its completion is recorded.
  ///
  /// It is a value type: changing a copy does not change the original.
  public struct Recording {

    /// The kind of values this recording accepts.
    public typealias Input = Output

    /// The elements recorded so far.
    public private(set) var output: [Output]

    /// The completion, or `.finished` if none is recorded yet.
    public private(set) var completion: Subscribers.Completion<Failure>

    private var isComplete: Bool

    /// Creates an empty recording that is open for elements and a completion.
    public init() {
      output = []
      completion = .finished
      isComplete = false
    }

    /// Creates a complete recording.
    ///
    /// - Parameters:
    ///   - output: The elements.
    ///   - completion: The completion that follows the last element.
    public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
      self.output = output
      self.completion = completion
      isComplete = true
    }

    /// Records an element.
    ///
    /// It traps if the recording is complete.
    ///
    /// - Parameter input: The value.
    public mutating func receive(_ input: Input) {
      if isComplete { Misuse.trap("Record.Recording", .valueAfterRecording) }
      output.append(input)
    }

    /// Records the completion, which completes the recording.
    ///
    /// It traps if the recording is complete already.
    ///
    /// - Parameter completion: The completion: finished or failed.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      if isComplete { Misuse.trap("Record.Recording", .completionAfterRecording) }
      self.completion = completion
      isComplete = true
    }
  }
}

extension Record: Sendable where Output: Sendable {}

extension Record.Recording: Sendable where Output: Sendable {}

// MARK: Coding

extension Record: Codable where Output: Codable, Failure: Codable {

  private enum CodingKeys: String, CodingKey {
    case recording
  }

  /// Decodes a record from a keyed container with the key `recording`.
  ///
  /// - Parameter decoder: The decoder that the value is read from.
  /// - Throws: `DecodingError.keyNotFound` if the key is missing, or an error that the decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(recording: try container.decode(Recording.self, forKey: .recording))
  }

  /// Encodes the record into a keyed container with the key `recording`.
  ///
  /// - Parameter encoder: The encoder that this value is written to.
  /// - Throws: An error that the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(recording, forKey: .recording)
  }
}

extension Record.Recording: Codable where Output: Codable, Failure: Codable {

  private enum CodingKeys: String, CodingKey {
    case output
    case completion
  }

  /// Decodes a complete recording from a keyed container with the keys `output` and `completion`.
  ///
  /// - Parameter decoder: The decoder that the value is read from.
  /// - Throws: `DecodingError.keyNotFound` if a key is missing, or an error that the decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      output: try container.decode([Output].self, forKey: .output),
      completion: try container.decode(Subscribers.Completion<Failure>.self, forKey: .completion)
    )
  }

  /// Encodes the elements and the completion into a keyed container with the keys `output` and `completion`.
  ///
  /// - Parameter encoder: The encoder that this value is written to.
  /// - Throws: An error that the encoder throws.
  public func encode(into encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(output, forKey: .output)
    try container.encode(completion, forKey: .completion)
  }

  /// Encodes the recording as ``encode(into:)`` does.
  ///
  /// - Parameter encoder: The encoder that this value is written to.
  /// - Throws: An error that the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    try encode(into: encoder)
  }
}
