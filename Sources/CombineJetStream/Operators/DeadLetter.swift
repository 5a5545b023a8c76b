#if JetStream
  import CombineCore
  import Foundation

  /// Messages for the subject of those that could not be decoded or processed.
  enum DeadLetter {

    /// The time after which a message is delivered again that could not be moved.
    private static let retryDelay = Duration.seconds(10)

    /// The maximum number of characters of an error in a header.
    private static let errorLength = 1000

    /// Stores a claimed message under another subject, and settles it: it is acknowledged, or delivered again if that fails.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - error: Why it could not be decoded or processed.
    ///   - subject: The subject.
    ///   - inbox: The inbox for the acknowledgement.
    ///   - didMove: A closure that is called once, on any thread, when the message is settled.
    static func move(
      _ message: JetStreamMessage,
      _ error: any Error,
      to subject: String,
      by inbox: SharedInbox,
      _ didMove: @escaping (Result<PublishAcknowledgement, JetStreamError>) -> Void
    ) {
      inbox.publish(make(message, error, to: subject), by: message.received.connection) { result in
        switch result {
        case .success: message.settleClaimed(.acknowledge)
        case .failure: message.settleClaimed(.reject(after: retryDelay))
        }
        didMove(result)
      }
    }

    private static func make(_ message: JetStreamMessage, _ error: any Error, to subject: String) -> OutgoingMessage {
      let metadata = message.metadata
      // Headers of the server's own, such as the id, concern the stream of the old message.
      // One without a value cannot be sent.
      var headers = message.headers.filter { !$0.key.hasPrefix("Nats-") }.mapValues { $0.filter { !$0.isEmpty } }
      headers["Dead-Letter-Stream"] = [metadata.stream]
      headers["Dead-Letter-Sequence"] = ["\(metadata.streamSequence)"]
      headers["Dead-Letter-Consumer"] = [metadata.consumer]
      headers["Dead-Letter-Deliveries"] = ["\(metadata.deliveryCount)"]
      headers["Dead-Letter-Subject"] = [message.subject]
      let text = headerText("\(error)")
      headers["Dead-Letter-Error"] = [text.isEmpty ? "\(type(of: error))" : text]
      return OutgoingMessage(
        message.payload,
        to: subject,
        id: "dead-letter-\(metadata.stream)-\(metadata.consumer)-\(metadata.streamSequence)",
        headers: headers
      )
    }

    /// A header ends at a line break.
    static func headerText(_ text: String) -> String {
      String(text.prefix(errorLength).map { $0.isNewline || $0 == "\0" ? " " : $0 })
    }
  }
#endif
