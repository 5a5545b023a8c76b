#if JetStream
  @_exported import CombineExtras
  import Dispatch

  /// A connection to a server of NATS with JetStream, which stores streams of messages.
  ///
  /// ```swift
  /// func run() async throws {
  ///   let jetStream = try await JetStream.connect()
  ///   try await jetStream.addStream(StreamConfiguration(name: "ORDERS", subjects: ["orders.>"]))
  ///   try await jetStream.addConsumer(ConsumerConfiguration(durable: "printer"), to: "ORDERS")
  ///
  ///   let printing = jetStream.messages(stream: "ORDERS", consumer: "printer")
  ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.payload) })
  ///   _ = try await jetStream.publish(Array("one".utf8), to: "orders.new").value
  ///   await jetStream.close()
  ///   printing.cancel()
  /// }
  /// ```
  ///
  /// The connection is made again by itself if it is lost. It ends with ``close()``, or when nobody refers to it any more:
  /// neither the program nor a subscription, nor a message.
  public final class JetStream: Sendable {

    let connection: Connection
    let sharedInbox = SharedInbox()

    private init(_ connection: Connection) {
      self.connection = connection
    }

    /// Connects to a server.
    ///
    /// - Parameter configuration: The servers, the credentials, and times.
    /// - Returns: A connection that a server has accepted.
    /// - Throws: `JetStreamError` of the kind `notConnected`, `authentication`, `tls`, `timedOut` or `refused`. With
    ///   ``Configuration/retriesFirstConnect``, it waits instead of `notConnected` and `timedOut`.
    public static func connect(
      _ configuration: Configuration = Configuration()
    ) async throws(JetStreamError) -> JetStream {
      while true {
        do throws(JetStreamError) {
          return try await blocking { () throws(JetStreamError) in JetStream(try Connection(configuration)) }
        } catch {
          let mayPass = error.kind == .notConnected || error.kind == .timedOut
          guard configuration.retriesFirstConnect, mayPass else { throw error }
          // It throws only if the task is cancelled.
          guard (try? await Task.sleep(for: configuration.reconnectDelay)) != nil else { throw error }
        }
      }
    }

    /// A publisher of the state of the connection: the current one at once, and then each change.
    ///
    /// It publishes on a thread of the connection, and finishes after `closed`.
    public var connectionState: AnyPublisher<ConnectionState, Never> {
      connection.state.eraseToAnyPublisher()
    }

    /// Ends the connection, and all subscriptions and publishes of it.
    ///
    /// Publishers of messages finish. What the server has sent and nobody has received is given back. Publishes without an
    /// acknowledgement fail. A second call does nothing.
    public func close() async {
      await blocking { [connection] in connection.close() }
    }
  }

  extension JetStream {

    /// Ends the connection when the work that is out has ended.
    ///
    /// Publishers of messages finish, and ask for nothing more. What they have not handed out is given back. Then the call
    /// waits until each message that was handed out is settled or released, and each publish has its acknowledgement. Then
    /// it closes the connection.
    ///
    /// Call it when the process is asked to end. To drain one subscription, put
    /// `prefix(untilOutputFrom:)` between the messages and the work.
    ///
    /// ```swift
    /// func shutDown(_ jetStream: JetStream) async {
    ///   if await !jetStream.drain(within: .seconds(20)) { print("some messages will be delivered again") }
    /// }
    /// ```
    ///
    /// - Parameter time: The maximum time to wait for the work. Closing may take ``Configuration/timeout`` in addition.
    /// - Returns: Whether all work has ended. If not, messages that were not acknowledged are delivered again.
    @discardableResult
    public func drain(within time: Duration = .seconds(30)) async -> Bool {
      await withCheckedContinuation { continuation in
        onOwnThread { [connection] in continuation.resume(returning: connection.drain(within: time)) }
      }
    }
  }

  /// Runs `body` on a thread of its own.
  ///
  /// The threads of the global queue are few, and a program may block them. A serial queue always gets one.
  func onOwnThread(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "CombineJetStream.call").async(execute: body)
  }

  /// Calls functions that wait for a server, on a thread that may block.
  ///
  /// - Returns: What `body` returns.
  func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws(JetStreamError) -> Value)
    async throws(JetStreamError) -> Value
  {
    let result = await withCheckedContinuation { continuation in
      onOwnThread {
        continuation.resume(returning: Result { () throws(JetStreamError) in try body() })
      }
    }
    return try result.get()
  }

  func blocking(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      onOwnThread {
        body()
        continuation.resume()
      }
    }
  }
#endif
