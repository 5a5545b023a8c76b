import CombineCore

extension Publisher {

  /// Subscribes at once, and records what arrives, for a test to wait for.
  ///
  /// This is for pipelines whose time is real: those that work on queues, threads or the network. Where there is a
  /// scheduler to hand in, a ``TestScheduler`` needs no waiting.
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
  /// Demand is unlimited, and values are kept until they are asked for.
  ///
  /// - Parameter timeout: How long each wait may take, unless it says otherwise.
  /// - Returns: The recorder. The subscription is cancelled when it is released.
  public func record(timeout: Duration = .seconds(5)) -> Recorder<Output, Failure> {
    Recorder(self, timeout: timeout)
  }
}

/// What a publisher has sent, and a place to wait for more of it. See ``CombineCore/Publisher/record(timeout:)``.
///
/// Values that came before they were asked for wait here. ``next(timeout:isolation:)`` takes one after the other, as
/// does ``next(_:timeout:isolation:)``; ``elements(timeout:isolation:)`` are all, taken or not. A wait ends with a
/// ``RecordingError`` that says what arrived so far when its time is up, and with a `CancellationError` when its task
/// is cancelled. Several tasks may wait; values go to the one that has waited longest.
public final class Recorder<Input, Failure: Error>: Sendable {

  private let recording: Recording<Input, Failure>
  private let cancellable: AnyCancellable
  private let timeout: Duration

  init<P: Publisher>(_ publisher: P, timeout: Duration) where P.Output == Input, P.Failure == Failure {
    recording = Recording()
    // The publisher keeps the recording, so that its own end would come too late.
    cancellable = AnyCancellable(recording)
    self.timeout = timeout
    publisher.subscribe(recording)
  }

  /// Waits for the next value, and takes it.
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
  /// - Returns: The value.
  /// - Throws: ``RecordingError`` if the time is up or the publisher has finished, the publisher's error if it has
  ///   failed.
  public func next(timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation) async throws -> Input {
    try await next(1, timeout: timeout, isolation: isolation)[0]
  }

  /// Waits for some values, and takes them all together, or none.
  ///
  /// ```swift
  /// func firstThree(of publisher: some Publisher<String, Never>) async throws -> [String] {
  ///   try await publisher.record().next(3, timeout: .milliseconds(100))
  /// }
  /// ```
  ///
  /// What is there already is returned whatever the time-out is. No values are always there.
  ///
  /// - Parameters:
  ///   - count: How many; none if less than 1.
  ///   - timeout: How long to wait for all of them; as long as the recorder says if `nil`.
  ///   - isolation: The caller's actor.
  /// - Returns: The values.
  /// - Throws: ``RecordingError`` if the time is up or the publisher has finished, the publisher's error if it has
  ///   failed. What has arrived can be asked for again.
  public func next(
    _ count: Int,
    timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Input] {
    let range = try await wait(for: .values(max(0, count)), timeout: timeout, isolation: isolation)
    return Array(recording.snapshot.values[range])
  }

  /// Waits until the publisher has finished.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait. `nil` means the recorder's own timeout.
  ///   - isolation: The caller's actor.
  /// - Returns: All values that it has sent, also those that were taken before.
  /// - Throws: ``RecordingError`` if the time is up, the publisher's error if it has failed.
  public func elements(
    timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [Input] {
    try await finished(timeout: timeout, isolation: isolation)
    return recording.snapshot.values
  }

  /// Waits until the publisher has completed, successfully or not.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait. `nil` means the recorder's own timeout.
  ///   - isolation: The caller's actor.
  /// - Returns: Its completion.
  /// - Throws: ``RecordingError`` if the time is up.
  public func completion(
    timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Subscribers.Completion<Failure> {
    _ = try await wait(for: .completion, timeout: timeout, isolation: isolation)
    return recording.snapshot.completion!
  }

  /// Waits until the publisher has finished.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait. `nil` means the recorder's own timeout.
  ///   - isolation: The caller's actor.
  /// - Throws: ``RecordingError`` if the time is up, the publisher's error if it has failed.
  public func finished(timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation) async throws {
    if case .failure(let error) = try await completion(timeout: timeout, isolation: isolation) { throw error }
  }

  /// The publisher's completion, successful or not, for which this waits as long as the recorder says.
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

  /// The successful end of the publisher, for which this waits as long as the recorder says.
  ///
  /// It throws ``RecordingError`` if the time is up, the publisher's error if it has failed.
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
    // Not before the wait is over: nothing but this keeps the subscription.
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

  /// All values that the publisher has sent when it has finished, for which this waits as long as the recorder says.
  ///
  /// It throws ``RecordingError`` if the time is up, the publisher's error if it has failed. For values that are not
  /// `Sendable` there is ``elements(timeout:isolation:)``.
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

/// Why a wait for what a publisher sends was in vain.
public struct RecordingError: Error, Equatable, CustomStringConvertible {

  /// What ended the wait.
  public enum Reason: Equatable, Sendable {

    /// Its time was up.
    case timedOut(after: Duration)

    /// The publisher finished before it had sent enough.
    case finished
  }

  /// What ended the wait.
  public let reason: Reason

  /// What ended the wait, what was waited for, and what had arrived until then.
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
