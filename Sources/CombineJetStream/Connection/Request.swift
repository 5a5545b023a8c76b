#if JetStream
  import CombineThreads
  import CombineCore

  /// A call that waits for an answer of the server, on a thread of its own.
  ///
  /// The server refuses a request apart from it, and then does not answer. The library's call waits for its whole time. So
  /// the program is told when the refusal comes, and the call ends later, unheard.
  ///
  /// `@unchecked Sendable`: the lock guards the continuation.
  private final class Request<Value: Sendable>: ConnectionMember, @unchecked Sendable {

    private let subjects: [String]
    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var continuation: CheckedContinuation<Result<Value, JetStreamError>, Never>?

    init(_ subjects: [String]) {
      self.subjects = subjects
    }

    /// Begins. Earlier refusals do not count, as the permissions may have changed.
    func begin(_ continuation: CheckedContinuation<Result<Value, JetStreamError>, Never>) {
      lock.withLock { self.continuation = continuation }
    }

    func end(_ result: Result<Value, JetStreamError>) {
      lock.withLock { exchange(&continuation, with: nil) }?.resume(returning: result)
    }

    func didRefuse(_ refusal: PermissionViolation) {
      guard refusal.concerns(inbox: "_INBOX.") || refusal.concerns(publishesTo: subjects) else { return }
      end(.failure(refusal.error))
    }

    func tick(at now: ContinuousClock.Instant) {}
    func connectionDidChange(to state: JetStream.ConnectionState) {}
    func close() {}
    func awaitEnd(until deadline: ContinuousClock.Instant) {}
  }

  extension Connection {

    /// Calls functions that wait for the server, on a thread that may block.
    ///
    /// - Parameters:
    ///   - subjects: The subjects of the requests. Those that begin with one of them and a dot count, too.
    ///   - body: A closure that makes the requests.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or the error of the server's refusal as soon as it comes.
    func request<Value: Sendable>(
      _ subjects: [String],
      _ body: @escaping @Sendable () throws(JetStreamError) -> Value
    ) async throws(JetStreamError) -> Value {
      let result: Result<Value, JetStreamError> = await withCheckedContinuation { continuation in
        let request = Request<Value>(subjects)
        _ = add(request)
        request.begin(continuation)
        onOwnThread { [self] in
          request.end(Result { () throws(JetStreamError) in try body() })
          remove(request)
        }
      }
      return try result.get()
    }

    /// Calls functions that ask JetStream about a stream, as ``request(_:_:)`` does.
    ///
    /// - Parameters:
    ///   - actions: What is asked for, such as `STREAM.INFO`.
    ///   - stream: The name of the stream.
    ///   - body: A closure that makes the requests.
    func request<Value: Sendable>(
      _ actions: String...,
      of stream: String,
      _ body: @escaping @Sendable () throws(JetStreamError) -> Value
    ) async throws(JetStreamError) -> Value {
      try await request(subjects(actions, of: stream), body)
    }

    /// The subjects of requests to JetStream about a stream.
    ///
    /// - Parameters:
    ///   - actions: What is asked for, such as `STREAM.INFO`.
    ///   - stream: The name of the stream.
    func subjects(_ actions: [String], of stream: String) -> [String] {
      actions.map { "\(apiPrefix).\($0).\(stream)" }
    }
  }
#endif
