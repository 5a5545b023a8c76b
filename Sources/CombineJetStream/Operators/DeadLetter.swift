#if JetStream
  import CombineCore
  import Foundation

  /// Messages for the subject of those that could not be decoded or processed.
  enum DeadLetter {

    /// The time after which a message is delivered again that could not be moved.
    private static let retryDelay = Duration.seconds(10)

    /// The maximum number of characters of an error in a header.
    private static let errorLength = 1000

    /// Does the same as ``move(_:_:to:by:at:)``, for a message that has just arrived, and does not wait.
    static func move(
      _ message: JetStreamMessage,
      _ cause: any Error,
      to subject: String,
      by consequences: Consequences,
      _ end: WorkEnd<PublishAcknowledgement>
    ) {
      let arrival = ContinuousClock.now
      Task {
        do throws(JetStreamError) {
          end.call(.success(try await move(message, cause, to: subject, by: consequences, at: arrival)))
        } catch {
          end.call(.failure(error))
        }
      }
    }

    /// Stores a claimed message under another subject, and settles it: it is acknowledged, or delivered again if that fails.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - cause: Why it could not be decoded or processed.
    ///   - subject: The subject.
    ///   - consequences: What publishes the letter.
    ///   - arrival: A time at which the message had arrived.
    /// - Throws: What does not pass, with the cause in its text. The publisher fails with it.
    static func move(
      _ message: JetStreamMessage,
      _ cause: any Error,
      to subject: String,
      by consequences: Consequences,
      at arrival: ContinuousClock.Instant
    ) async throws(JetStreamError) -> PublishAcknowledgement {
      func publish(_ letter: OutgoingMessage) async throws(JetStreamError) -> PublishAcknowledgement {
        try await consequences.publish(letter, as: "dead-letter", of: message, at: arrival).get()
      }

      do throws(JetStreamError) {
        let acknowledgement: PublishAcknowledgement
        do throws(JetStreamError) {
          acknowledgement = try await publish(make(message, cause, to: subject))
        } catch let error where error.kind == .payloadTooLarge {
          // The headers of the letter make it larger than the message was.
          guard await isKept(message) else { throw error }
          acknowledgement = try await publish(makeShortened(message, cause, to: subject))
        }
        message.settleClaimed(.acknowledge)
        return acknowledgement
      } catch {
        message.settleClaimed(.reject(after: retryDelay))
        throw JetStreamError(
          error.kind,
          status: error.status,
          code: error.code,
          text: "\(message) cannot be moved to \(subject): \(error.text). It is to be moved because of: \(cause)"
        )
      }
    }

    private static func make(_ message: JetStreamMessage, _ cause: any Error, to subject: String) -> OutgoingMessage {
      // Headers of the server's own, such as the id, concern the stream of the old message.
      // One without a value cannot be sent.
      let headers = message.headers.filter { !$0.key.hasPrefix("Nats-") }.mapValues { $0.filter { !$0.isEmpty } }
      return OutgoingMessage(
        message.payload,
        to: subject,
        headers: headers.merging(description(of: message, cause)) { $1 }
      )
    }

    /// Makes a letter that says where the message is.
    private static func makeShortened(
      _ message: JetStreamMessage,
      _ cause: any Error,
      to subject: String
    ) -> OutgoingMessage {
      var headers = description(of: message, cause)
      headers["Dead-Letter-Omitted-Bytes"] = ["\(message.count)"]
      return OutgoingMessage([], to: subject, headers: headers)
    }

    private static func description(of message: JetStreamMessage, _ cause: any Error) -> [String: [String]] {
      let metadata = message.metadata
      let text = headerText("\(cause)")
      return [
        "Dead-Letter-Stream": [metadata.stream],
        "Dead-Letter-Sequence": ["\(metadata.streamSequence)"],
        "Dead-Letter-Consumer": [metadata.consumer],
        "Dead-Letter-Deliveries": ["\(metadata.deliveryCount)"],
        "Dead-Letter-Subject": [message.subject],
        "Dead-Letter-Error": [text.isEmpty ? "\(type(of: cause))" : text],
      ]
    }

    /// Whether the message stays in its stream when it is acknowledged. A work queue removes it.
    private static func isKept(_ message: JetStreamMessage) async -> Bool {
      let (connection, stream) = (message.received.connection, message.metadata.stream)
      let info = try? await blocking { () throws(JetStreamError) in try connection.streamInfo(stream) }
      return info?.configuration.retention == .limits
    }

    /// A header ends at a line break.
    static func headerText(_ text: String) -> String {
      String(text.prefix(errorLength).map { $0.isNewline || $0 == "\0" ? " " : $0 })
    }
  }
#endif
