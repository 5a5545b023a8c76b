import CombineCore

extension Publisher {

  /// Subscribes immediately and records the signals, so that a test can wait for them.
  ///
  /// Use it for pipelines in real time, which run on queues, threads or the network. If the pipeline takes a scheduler
  /// as a parameter, use a ``TestScheduler``, which needs no waiting.
  ///
  /// ```swift
  /// func searchFindsSomething(_ search: some Publisher<String, any Error>) async throws {
  ///   let recorder = search.record()
  ///   let first = try await recorder.next()
  ///   let others = try await recorder.next(2, timeout: .seconds(10))
  ///   print(first, others)
  ///   try await recorder.finished
  /// }
  /// ```
  ///
  /// The recorder requests unlimited demand and buffers the values.
  ///
  /// - Parameter timeout: The maximum time of each wait that has no timeout as an argument.
  /// - Returns: A recorder. When it is released, it cancels the subscription.
  public func record(timeout: Duration = .seconds(5)) -> Recorder<Output, Failure> {
    Recorder(self, timeout: timeout)
  }
}

/// A record of a publisher's signals, on which a test can wait. See ``CombineCore/Publisher/record(timeout:)``.
///
/// The recorder buffers values that nobody has taken. ``next(timeout:isolation:)`` takes one value, and
/// ``next(_:timeout:isolation:)`` takes several. ``elements(timeout:isolation:)`` returns all values, including those
/// that were taken.
///
/// After the timeout, a wait throws a ``RecordingError`` that describes what has arrived. If its task is cancelled, it
/// throws a `CancellationError`. Several tasks may wait. Values go to the task that has waited longest.
public final class Recorder<Input, Failure: Error>: Sendable {

  private let recording: Recording<Input, Failure>
  private let cancellable: AnyCancellable
  private let timeout: Duration

  init<P: Publisher>(_ publisher: P, timeout: Duration) where P.Output == Input, P.Failure == Failure {
    recording = Recording()
    // The publisher keeps the recording alive, so the deinitializer of the recording would come too late to cancel.
    cancellable = AnyCancellable(recording)
    self.timeout = timeout
    publisher.subscribe(recording)
  }

  /// Waits for the next value and takes it.
  ///
  /// ```swift
  /// func first(of publisher: some Publisher<String, Never>) async throws -> String {
  ///   try await publisher.record().next()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait. `nil` means the recorder's own timeout.
  ///   - isolation: The caller's actor.
  /// - Returns: The next value.
  /// - Throws: ``RecordingError`` after the timeout or if the publisher has finished. The publisher's error if it has
  ///   failed.
  public func next(timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation) async throws -> Input {
    try await next(1, timeout: timeout, isolation: isolation)[0]
  }

  /// Waits for several values and takes all of them, or none.
  ///
  /// ```swift
  /// func firstThree(of publisher: some Publisher<String, Never>) async throws -> [String] {
  ///   try await publisher.record().next(3, timeout: .milliseconds(100))
  /// }
  /// ```
  ///
  /// Values that have already arrived are returned whatever the timeout is. A count of zero returns immediately.
  ///
  /// - Parameters:
  ///   - count: The number of values. A number below 1 counts as zero.
  ///   - timeout: The maximum time to wait for all of them. `nil` means the recorder's own timeout.
  ///   - isolation: The caller's actor.
  /// - Returns: An array of `count` values.
  /// - Throws: ``RecordingError`` after the timeout or if the publisher has finished. The publisher's error if it has
  ///   failed. Values that have arrived are not lost.
  public func next(
    _ count: Int,
    timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Input] {
    let range = try await wait(for: .values(max(0, count)), timeout: timeout, isolation: isolation)
    return Array(recording.snapshot.values[range])
  }

  /// Waits until the publisher finishes, and returns all its values.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait. `nil` means the recorder's own timeout.
  ///   - isolation: The caller's actor.
  /// - Returns: All values that the publisher has sent, including those that were taken.
  /// - Throws: ``RecordingError`` after the timeout. The publisher's error if it has failed.
  public func elements(
    timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Input] {
    try await finished(timeout: timeout, isolation: isolation)
    return recording.snapshot.values
  }

  /// Waits until the publisher completes.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait. `nil` means the recorder's own timeout.
  ///   - isolation: The caller's actor.
  /// - Returns: The publisher's completion.
  /// - Throws: ``RecordingError`` after the timeout.
  public func completion(
    timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Subscribers.Completion<Failure> {
    _ = try await wait(for: .completion, timeout: timeout, isolation: isolation)
    return recording.snapshot.completion!
  }

  /// Waits until the publisher finishes.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait. `nil` means the recorder's own timeout.
  ///   - isolation: The caller's actor.
  /// - Throws: ``RecordingError`` after the timeout. The publisher's error if it has failed.
  public func finished(timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation) async throws {
    if case .failure(let error) = try await completion(timeout: timeout, isolation: isolation) { throw error }
  }

  /// The publisher's completion. Reading it waits for at most the recorder's timeout.
  ///
  /// ```swift
  /// func ends(_ publisher: some Publisher<Int, CancellationError>) async throws {
  ///   let recorder = publisher.record(timeout: .seconds(1))
  ///   print(try await recorder.completion)
  /// }
  /// ```
  public var completion: Subscribers.Completion<Failure> {
    get async throws { try await completion() }
  }

  /// The successful completion of the publisher. Reading it waits for at most the recorder's timeout.
  ///
  /// It throws ``RecordingError`` after the timeout, or the publisher's error if it has failed.
  ///
  /// ```swift
  /// func finishes(_ publisher: some Publisher<Int, Never>) async throws {
  ///   try await publisher.record().finished
  /// }
  /// ```
  public var finished: Void {
    get async throws { try await finished() }
  }

  // MARK: Waiting

  private func wait(
    for need: RecorderNeed,
    timeout: Duration?,
    isolation: isolated (any Actor)?
  ) async throws -> Range<Int> {
    let timeout = timeout ?? self.timeout
    let outcome = await recording.wait(for: need, timeout: timeout, isolation: isolation)
    // The subscription must live until the end of the wait, and only this object keeps it.
    withExtendedLifetime(cancellable) {}
    let (values, completion) = recording.snapshot
    switch outcome {
    case .granted(let range):
      return range
    case .cancelled:
      throw CancellationError()
    case .ended:
      if case .failure(let error) = completion { throw error }
      throw RecordingError(reason: .finished, waitingFor: need, values: values)
    case .timedOut:
      throw RecordingError(reason: .timedOut(after: timeout), waitingFor: need, values: values)
    }
  }
}

extension Recorder where Input: Sendable {

  /// All values that the publisher has sent by the time it finishes. Reading it waits for at most the recorder's
  /// timeout.
  ///
  /// It throws ``RecordingError`` after the timeout, or the publisher's error if it has failed. For values that are not
  /// `Sendable`, use ``elements(timeout:isolation:)``.
  ///
  /// ```swift
  /// func sum(of numbers: some Publisher<Int, Never>) async throws -> Int {
  ///   try await numbers.record().elements.reduce(0, +)
  /// }
  /// ```
  public var elements: [Input] {
    get async throws { try await elements() }
  }
}

/// An error that says why a wait of a ``Recorder`` failed.
public struct RecordingError: Error, Equatable, CustomStringConvertible {

  /// A reason why a wait failed.
  public enum Reason: Equatable, Sendable {

    /// The timeout passed.
    case timedOut(after: Duration)

    /// The publisher finished before it had sent enough values.
    case finished
  }

  /// The reason why the wait failed.
  public let reason: Reason

  /// A text with the reason, the signals waited for, and the values that had arrived.
  public let description: String

  init(reason: Reason, waitingFor need: RecorderNeed, values: [some Any]) {
    self.reason = reason
    let end =
      switch reason {
      case .timedOut(let duration): "time was up after \(duration)"
      case .finished: "the publisher finished"
      }
    let arrived = values.isEmpty ? "no value had arrived" : "had arrived: \(values)"
    description = "\(end), waiting for \(need); \(arrived)"
  }
}
