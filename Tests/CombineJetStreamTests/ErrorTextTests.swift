#if JetStream
  import CNATS
  import JetStreamSupport
  import TestSupport
  import Testing

  @testable import CombineJetStream

  /// Texts and numbers that become errors and acknowledgements, without a server.
  struct ErrorTextTests {

    @Test(arguments: [
      (JetStreamError(.closed), "closed"),
      (JetStreamError(.timedOut, text: "late"), "timedOut: late"),
      (JetStreamError(.noStream, code: 10059), "noStream (code 10059)"),
      (
        JetStreamError(.noConsumer, status: 404, code: 10014, text: "gone"), "noConsumer (status 404, code 10014): gone"
      ),
      (JetStreamError(.other, status: 3), "other (status 3)"),
    ])
    func theDescriptionHasTheNumbersThatAreNotZero(error: JetStreamError, text: String) {
      #expect(error.description == text)
    }

    @Test(arguments: [
      ("(conn.c:123): no server", "no server"),
      ("(js.c:1): a): b", "a): b"),
      ("no server (conn.c:1): x", "no server (conn.c:1): x"),
      ("(no end", "(no end"),
      ("", ""),
    ])
    func thePlaceInTheLibraryIsStripped(text: String, expected: String) {
      #expect(JetStreamError.strippingPlace(text) == expected)
    }

    @Test(arguments: [
      (10059, JetStreamError.Kind.noStream), (10060, .noStream), (10076, .noStream), (10039, .noStream),
      (10014, .noConsumer), (10058, .nameTaken), (10065, .nameTaken), (10013, .nameTaken), (10148, .nameTaken),
      (10054, .payloadTooLarge), (10071, .wrongRevision), (10077, .refused), (10047, .refused),
    ])
    func aCodeOfJetStreamDecidesTheKind(code: Int, kind: JetStreamError.Kind) {
      #expect(JetStreamError(status: 400, code: code, text: "").kind == kind)
    }

    @Test(arguments: [
      (NATS_NO_SERVER, JetStreamError.Kind.notConnected), (NATS_TIMEOUT, .timedOut), (NATS_NO_RESPONDERS, .noStream),
      (NATS_MAX_PAYLOAD, .payloadTooLarge), (NATS_CONNECTION_AUTH_FAILED, .authentication), (NATS_SSL_ERROR, .tls),
      (NATS_CONNECTION_CLOSED, .closed), (NATS_INVALID_SUBJECT, .refused), (NATS_NO_MEMORY, .other),
    ])
    func aStatusOfTheLibraryDecidesTheKindWithoutACode(status: natsStatus, kind: JetStreamError.Kind) {
      let error = JetStreamError(status)
      #expect(error.kind == kind)
      #expect(error.status == Int(status.rawValue))
      #expect(error.code == 0)
    }

    @Test(arguments: [
      ("wrong last sequence: 12", 10071), ("stream not found", 10059), ("Existing configuration is different", 10058),
      ("message size exceeds maximum allowed", 10054), ("something else", 0), ("", 0),
    ])
    func aTextAboutABucketHasTheCodeOfJetStream(text: String, code: Int) {
      #expect(JetStreamError.code(ofKeyValueText: text) == code)
    }

    @Test(arguments: [
      (#"{"stream":"S","seq":7}"#, "S", 7, false),
      (#"{"stream":"S", "seq": 18446744073709551}"#, "S", 18_446_744_073_709_551, false),
      (#"{"stream":"ORDERS_1","domain":"hub","seq":12,"duplicate": true}"#, "ORDERS_1", 12, true),
      (#"{"stream":"S","seq":1,"duplicate":false}"#, "S", 1, false),
      (#"{"seq":3,"stream":"S"}"#, "S", 3, false),
    ])
    func anAcknowledgementIsRead(text: String, stream: String, sequence: UInt64, isDuplicate: Bool) {
      #expect(Self.reply(text) == .stored(stream: stream, sequence: sequence, isDuplicate: isDuplicate))
    }

    @Test(arguments: [
      (
        #"{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"S","seq":0}"#,
        JetStreamError(.refused, status: 503, code: 10077, text: "maximum messages exceeded")
      ),
      (
        #"{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 3"}}"#,
        JetStreamError(.wrongRevision, status: 400, code: 10071, text: "wrong last sequence: 3")
      ),
      (#"{"error":{}}"#, JetStreamError(.refused)),
      (#"{"error":7}"#, JetStreamError(.other, text: #"{"error":7}"#)),
      ("", JetStreamError(.other, text: "not an acknowledgement: ")),
      (#"{"stream":"S"}"#, JetStreamError(.other, text: #"not an acknowledgement: {"stream":"S"}"#)),
      (
        #"{"stream":"S","seq":99999999999999999999}"#,
        JetStreamError(.other, text: #"not an acknowledgement: {"stream":"S","seq":99999999999999999999}"#)
      ),
    ])
    func whatIsNoAcknowledgementIsAnError(text: String, error: JetStreamError) {
      #expect(Self.reply(text) == .failed(error))
    }

    private static func reply(_ text: String) -> PublishReply {
      Array(text.utf8).withUnsafeBytes { PublishReply($0) }
    }

    @Test(arguments: [
      ("$JS.ACK.S.c.2.10.4.1700000000000000000.6", "S", "c"),
      ("$JS.ACK.hub.ACC.S.c.2.10.4.1700000000000000000.6.token", "S", "c"),
      ("$JS.ACK._.ACC.S.c.2.10.4.1700000000000000000.6", "S", "c"),
    ])
    func theSubjectOfTheAcknowledgementDescribesTheDelivery(reply: String, stream: String, consumer: String) throws {
      let metadata = try #require(DeliveryMetadata(reply: reply))
      #expect(metadata.stream == stream)
      #expect(metadata.consumer == consumer)
      #expect(metadata.deliveryCount == 2)
      #expect(metadata.streamSequence == 10)
      #expect(metadata.consumerSequence == 4)
      #expect(metadata.pendingCount == 6)
      #expect(metadata.timestamp.timeIntervalSince1970 == 1_700_000_000)
    }

    @Test(arguments: [
      "", "$JS.ACK", "_INBOX.a.b.c.d.e.f.g.h", "$JS.ACK.S.c.x.10.4.17.6", "$JS.ACK.S.c.1.10.4.17",
      "$JS.ACK.S.c.1.-1.4.17.6",
    ])
    func anotherSubjectDescribesNoDelivery(reply: String) {
      #expect(DeliveryMetadata(reply: reply) == nil)
    }

    @Test(arguments: [
      ("a\nb\r\nc", "a b c"), ("ä", "ä"), (String(repeating: "x", count: 2000), String(repeating: "x", count: 1000)),
    ])
    func theErrorOfADeadLetterFitsIntoAHeader(text: String, expected: String) {
      #expect(DeadLetter.headerText(text) == expected)
    }

    @Test(arguments: [
      ([:], KeyValueEntry.Operation.put), (["KV-Operation": ["DEL"]], .delete), (["KV-Operation": ["PURGE"]], .purge),
      (["Nats-Marker-Reason": ["MaxAge"]], .purge), (["Other": ["DEL"]], .put),
    ])
    func theHeadersOfAnEntrySayItsOperation(headers: [String: [String]], operation: KeyValueEntry.Operation) {
      #expect(KeyValueEntry.Operation(headers) == operation)
    }
  }
#endif
