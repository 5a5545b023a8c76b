#if JetStream
  import CombineThreads
  import CNATS
  import CombineCore
  import Foundation
  import Synchronization

  /// Publishes what follows from messages, results and dead letters, and stores each once.
  ///
  /// The default id names the message and the consumer. A number alone names no message: a stream that was deleted, restored
  /// from a copy, or lost with its memory gives it again. So ``JetStreamMessage/identity`` has the time of the message, too.
  ///
  /// A consumer that was deleted and created again delivers old messages again, and what follows from them is wanted. So the
  /// word "duplicate" is believed only if the first copy was stored after the consumer was created. The time of creation is
  /// no part of the id, because a server before 2.11 tells another one, by a fraction of a millisecond, after its restart.
  ///
  /// `@unchecked Sendable`: the lock guards the dictionary.
  final class Consequences: @unchecked Sendable {

    /// A consumer, as its deliveries name it.
    private struct ConsumerName: Hashable {
      let stream: String
      let consumer: String
    }

    private struct Creation {
      let date: Date

      /// When the look-up began that has found it.
      let lookedUp: ContinuousClock.Instant
    }

    /// The time between two look-ups, if the server cannot answer for now.
    private static let pause = Duration.milliseconds(500)

    private let inbox = SharedInbox()
    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var creations: [ConsumerName: Creation] = [:]

    /// Publishes what follows from a message. While the connection is lost, or the server cannot store it for now, it waits.
    ///
    /// - Parameters:
    ///   - outgoing: A result or a dead letter. If it has an id, a copy is what the stream says is one.
    ///   - word: The word with which the default id begins.
    ///   - message: The message from which it follows.
    ///   - arrival: A time at which the message had arrived.
    ///   - observe: What is called around each publish.
    func publish(
      _ outgoing: OutgoingMessage,
      as word: String,
      of message: JetStreamMessage,
      at arrival: ContinuousClock.Instant,
      observe: PublishObservation.Begin? = nil
    ) async -> Result<PublishAcknowledgement, JetStreamError> {
      let connection = message.received.connection
      guard outgoing.id == nil else { return await publish(outgoing, by: connection, observe) }
      let metadata = message.metadata
      let id = "\(word).\(metadata.identity).\(metadata.consumer)"
      var outgoing = outgoing
      outgoing.id = id
      while true {
        let result = await publish(outgoing, by: connection, observe)
        guard case .success(let acknowledgement) = result, acknowledgement.isDuplicate else { return result }
        do throws(JetStreamError) {
          let isOfThisConsumer = try await waiting(connection) { [self] () throws(JetStreamError) in
            try isFirstCopyOfThisConsumer(acknowledgement, metadata, arrival, connection)
          }
          if isOfThisConsumer { return result }
        } catch {
          return .failure(error)
        }
        // All who work for this consumer find the same first copy, and so the same id.
        outgoing.id = "\(id).\(acknowledgement.sequence)"
      }
    }

    private func publish(
      _ outgoing: OutgoingMessage,
      by connection: Connection,
      _ observe: PublishObservation.Begin?
    ) async -> Result<PublishAcknowledgement, JetStreamError> {
      var outgoing = outgoing
      let didEnd = observe?(&outgoing)
      let result = await withCheckedContinuation { continuation in
        inbox.publish(outgoing, by: connection) { continuation.resume(returning: $0) }
      }
      didEnd?(result)
      return result
    }

    // MARK: Look-ups

    /// Asks the server, again and again while it cannot answer.
    ///
    /// - Parameter ask: A closure that blocks.
    private func waiting(
      _ connection: Connection,
      _ ask: @escaping @Sendable () throws(JetStreamError) -> Bool
    ) async throws(JetStreamError) -> Bool {
      while true {
        let result = await withCheckedContinuation { continuation in
          connection.lookUp {
            continuation.resume(returning: Result { () throws(JetStreamError) in try ask() })
          }
        }
        do throws(JetStreamError) {
          return try result.get()
        } catch {
          if error.isLasting || error.kind == .closed { throw error }
        }
        try? await Task.sleep(for: Self.pause)
      }
    }

    /// Whether the first copy was published for a delivery of the consumer since its creation. It blocks.
    private func isFirstCopyOfThisConsumer(
      _ copy: PublishAcknowledgement,
      _ metadata: DeliveryMetadata,
      _ arrival: ContinuousClock.Instant,
      _ connection: Connection
    ) throws(JetStreamError) -> Bool {
      let creation = try creation(of: metadata, since: arrival, connection)
      if metadata.timestamp >= creation { return true }
      // A copy that was removed, maybe by those who work on it, tells no time. Twice is better than lost.
      guard let stored = try connection.storedTime(of: copy.sequence, in: copy.stream) else { return false }
      return stored >= creation
    }

    /// When the consumer of a delivery was created, as looked up after a time.
    private func creation(
      of metadata: DeliveryMetadata,
      since time: ContinuousClock.Instant,
      _ connection: Connection
    ) throws(JetStreamError) -> Date {
      let name = ConsumerName(stream: metadata.stream, consumer: metadata.consumer)
      // Look-ups share few queues. After a reconnect, the one in front has found the answer for those behind.
      if let known = lock.withLock({ creations[name] }), known.lookedUp >= time { return known.date }
      let now = ContinuousClock.now
      let info = try connection.consumerInfo(name.consumer, of: name.stream)
      lock.withLock { creations[name] = Creation(date: info.created, lookedUp: now) }
      return info.created
    }
  }

  extension Connection {

    /// The time at which a message was stored. It blocks.
    ///
    /// - Returns: The time, `nil` if the stream does not have the message any more, or this program may not see it.
    fileprivate func storedTime(of sequence: UInt64, in stream: String) throws(JetStreamError) -> Date? {
      var pointer: OpaquePointer?
      defer { natsMsg_Destroy(pointer) }
      do throws(JetStreamError) {
        try call { js_GetMsg(&pointer, $0, stream, sequence, nil, &$1) }
      } catch let error where error.isLasting {
        return nil
      }
      return Date(timeIntervalSince1970: Double(natsMsg_GetTime(pointer)) / 1e9)
    }
  }
#endif
