#if JetStream && ServiceLifecycle
  import CombineThreads
  import CombineCore
  import ServiceLifecycle

  /// A service that runs a pipeline, and drains its connection when the process is asked to end.
  ///
  /// The service subscribes to the pipeline with unlimited demand. On a graceful shutdown it drains the connection, so that
  /// the pipeline stops pulling, work that is out ends, and its messages are acknowledged. Then it returns.
  ///
  /// If the pipeline finishes by itself, the service returns. If the pipeline fails, the service throws its error. After the
  /// beginning of a shutdown a failure is no error, as the drain may have caused it. If the service's task is cancelled, the
  /// pipeline is cancelled, and the service throws `CancellationError`.
  ///
  /// ```swift
  /// func run(_ jetStream: JetStream, logger: Logger) async throws {
  ///   let printing = JetStreamService(jetStream) { jetStream in
  ///     jetStream.messages(stream: "ORDERS", consumer: "printer")
  ///       .process { message in
  ///         print(message.subject)
  ///         return nil
  ///       }
  ///   }
  ///   try await ServiceGroup(
  ///     services: [printing],
  ///     gracefulShutdownSignals: [.sigterm],
  ///     logger: logger
  ///   ).run()
  /// }
  /// ```
  ///
  /// A connection belongs to one service, because a drain ends all that uses the connection.
  public struct JetStreamService<Pipeline: Publisher & SendableMetatype>: Service {

    private let jetStream: JetStream
    private let drainTime: Duration
    private let makePipeline: @Sendable (JetStream) -> Pipeline

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - jetStream: The connection, which the service closes at its end.
    ///   - drainTime: The maximum time to wait for work that is out, on a graceful shutdown. See ``JetStream/drain(within:)``.
    ///   - pipeline: A closure that makes the pipeline. It is called once for each run.
    public init(
      _ jetStream: JetStream,
      drainingWithin drainTime: Duration = .seconds(30),
      pipeline: @escaping @Sendable (JetStream) -> Pipeline
    ) {
      self.jetStream = jetStream
      self.drainTime = drainTime
      makePipeline = pipeline
    }

    /// Runs the pipeline to its end, or to that of the process.
    ///
    /// - Throws: The error of the pipeline, or `CancellationError`.
    public func run() async throws {
      let run = PipelineRun()
      let result: Result<Void, any Error> = await withTaskCancellationHandler {
        await withGracefulShutdownHandler {
          await withCheckedContinuation { continuation in
            run.begin(continuation) { subscribe($0) }
          }
        } onGracefulShutdown: {
          run.beginShutdown()
          Task {
            await jetStream.drain(within: drainTime)
            // A pipeline that reads something else goes on without its connection.
            run.end(.success(()))
          }
        }
      } onCancel: {
        run.end(.failure(CancellationError()))
      }
      await jetStream.close()
      try result.get()
    }
  }

  extension JetStreamService {

    private func subscribe(_ didComplete: @escaping (Result<Void, any Error>) -> Void) -> AnyCancellable {
      makePipeline(jetStream).sink(
        receiveCompletion: { completion in
          switch completion {
          case .finished: didComplete(.success(()))
          case .failure(let error): didComplete(.failure(error))
          }
        },
        receiveValue: { _ in }
      )
    }
  }

  /// One run of a pipeline. The first end counts.
  ///
  /// `@unchecked Sendable`: the lock guards all properties.
  private final class PipelineRun: @unchecked Sendable {

    private let lock = Lock()

    @exclusivity(unchecked)  // These four: only with the lock held.
    private var continuation: CheckedContinuation<Result<Void, any Error>, Never>?

    @exclusivity(unchecked)
    private var subscription: AnyCancellable?

    @exclusivity(unchecked)
    private var isShuttingDown = false

    /// The end, which may come before the run has begun.
    @exclusivity(unchecked)
    private var result: Result<Void, any Error>?

    func begin(
      _ continuation: CheckedContinuation<Result<Void, any Error>, Never>,
      _ subscribe: (_ didComplete: @escaping (Result<Void, any Error>) -> Void) -> AnyCancellable
    ) {
      let early = lock.withLock { () -> Result<Void, any Error>? in
        if result == nil { self.continuation = continuation }
        return result
      }
      if let early { return continuation.resume(returning: early) }
      let subscription = subscribe { [weak self] in self?.pipelineDidComplete($0) }
      let hasEnded = lock.withLock { () -> Bool in
        if result == nil { self.subscription = subscription }
        return result != nil
      }
      if hasEnded { subscription.cancel() }
    }

    func beginShutdown() {
      lock.withLock { isShuttingDown = true }
    }

    private func pipelineDidComplete(_ completion: Result<Void, any Error>) {
      end(lock.withLock { isShuttingDown } ? .success(()) : completion)
    }

    func end(_ result: Result<Void, any Error>) {
      let (continuation, subscription) = lock.withLock {
        if self.result == nil { self.result = result }
        return (exchange(&self.continuation, with: nil), exchange(&self.subscription, with: nil))
      }
      subscription?.cancel()
      continuation?.resume(returning: result)
    }
  }
#endif
