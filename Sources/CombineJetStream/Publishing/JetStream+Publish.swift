#if JetStream
  import CombineThreads
  import CombineCore

  extension JetStream {

    /// Publishes a message.
    ///
    /// ```swift
    /// func store(_ text: String, in jetStream: JetStream) async throws -> UInt64 {
    ///   try await jetStream.publish(Array(text.utf8), to: "lines", id: "line-1").value.sequence
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - payload: The payload.
    ///   - subject: The subject, without wildcards.
    ///   - id: The id by which the stream recognises a second copy. With an id, the message is sent again while its
    ///     acknowledgement does not come.
    /// - Returns: A future that is fulfilled when the stream has stored the message, on a thread that all futures of the
    ///   connection share. It fails with `refused` if the message is not valid, see ``OutgoingMessage``, or
    ///   the stream refuses it, with `noStream` if no stream listens to the subject, and with
    ///   `timedOut` after ``Configuration/timeout``.
    public func publish(
      _ payload: [UInt8],
      to subject: String,
      id: String? = nil
    ) -> Future<PublishAcknowledgement, JetStreamError> {
      publish(OutgoingMessage(payload, to: subject, id: id))
    }

    /// Publishes a message.
    ///
    /// - Parameter message: The message, with its id and headers.
    /// - Returns: A future that is fulfilled when the stream has stored the message. See ``publish(_:to:id:)``.
    public func publish(_ message: OutgoingMessage) -> Future<PublishAcknowledgement, JetStreamError> {
      Future { [sharedInbox, connection] promise in
        sharedInbox.publish(message, by: connection, within: connection.configuration.timeout, promise)
      }
    }
  }

  /// The inbox of all single publishes of a connection, or of an operator, opened by the first one.
  ///
  /// `@unchecked Sendable`: the lock guards the property.
  final class SharedInbox: @unchecked Sendable {

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var existing: InboxOwner?

    /// Publishes a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - connection: The connection.
    ///   - time: After how long to give up; see ``PublishInbox/publish(_:expiry:_:)``.
    ///   - didResolve: A closure that is called once, on any thread, with the acknowledgement or the error.
    func publish(
      _ message: OutgoingMessage,
      by connection: Connection,
      within time: Duration? = nil,
      _ didResolve: @escaping (Result<PublishAcknowledgement, JetStreamError>) -> Void
    ) {
      do throws(JetStreamError) {
        let owner = try owner(connection)
        owner.inbox.publish(message, expiry: time.map { .now + $0 }, KeptPublish(owner, didResolve))
      } catch {
        didResolve(.failure(error))
      }
    }

    private func owner(_ connection: Connection) throws(JetStreamError) -> InboxOwner {
      if let existing = lock.withLock({ existing }) { return existing }
      let new = try InboxOwner(connection)
      // Another thread may have been faster. Its inbox stays, and this one ends.
      return lock.withLock {
        let chosen = existing ?? new
        existing = chosen
        return chosen
      }
    }
  }
#endif
