#if JetStream
  /// What may stand in a subject, a name or a header, checked before it leaves the program.
  ///
  /// The protocol of NATS is lines of words. A space or a line break in a subject would be another word or command for the
  /// server, which closes the connection or, worse, obeys.
  enum Names {

    /// The part of a message or request that is checked. Its raw value stands in the error.
    enum Part: String {
      case subject = "subject"
      case stream = "name of the stream"
      case consumer = "name of the consumer"
      case bucket = "name of the bucket"
      case key = "key"
      case domain = "domain"
      case connection = "name of the connection"
      case description = "description"
    }

    /// Checks a subject to publish to: words that dots separate, without wildcards.
    static func checkSubject(_ subject: String, _ part: Part = .subject) throws(JetStreamError) {
      try checkWords(subject, part, permitsWildcards: false)
    }

    /// Checks a subject to select messages with: `*` stands for a word, and `>` at the end for one or more.
    static func checkPattern(_ subject: String) throws(JetStreamError) {
      try checkWords(subject, .subject, permitsWildcards: true)
    }

    private static func checkWords(_ text: String, _ part: Part, permitsWildcards: Bool) throws(JetStreamError) {
      var text = text
      let fault = text.withUTF8 { bytes -> String? in
        var length = 0
        var wildcard: UInt8?
        for (index, byte) in bytes.enumerated() {
          if byte == UInt8(ascii: ".") {
            if length == 0 { return "has an empty word" }
            if wildcard == UInt8(ascii: ">") { return "has the wildcard > before its last word" }
            (length, wildcard) = (0, nil)
            continue
          }
          if let fault = invisible(byte) { return fault }
          let isAlone = length == 0 && (index + 1 == bytes.count || bytes[index + 1] == UInt8(ascii: "."))
          if isAlone, byte == UInt8(ascii: "*") || byte == UInt8(ascii: ">") {
            guard permitsWildcards else { return "has a wildcard" }
            wildcard = byte
          }
          length += 1
        }
        if bytes.isEmpty { return "is empty" }
        return length == 0 ? "has an empty word" : nil
      }
      if let fault { throw refused(part, text, fault) }
    }

    /// Checks the name of a stream, a consumer or a bucket, which is one word of a subject and the name of a folder.
    static func checkName(_ name: String, _ part: Part) throws(JetStreamError) {
      if name.isEmpty { throw refused(part, name, "is empty") }
      for byte in name.utf8 {
        if let fault = invisible(byte) { throw refused(part, name, fault) }
        if ".*>/\\".utf8.contains(byte) {
          throw refused(part, name, "has the character \(Character(UnicodeScalar(byte)))")
        }
      }
    }

    /// Checks a key of a bucket: words that dots separate.
    static func checkKey(_ key: String) throws(JetStreamError) {
      try checkSubject(key, .key)
      let permitted = key.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-_=./".utf8.contains(byte)
        }
      }
      guard permitted else { throw refused(.key, key, "has other characters than letters, digits and - _ = . /") }
    }

    /// Checks an id, or another text that becomes the value of a header.
    static func checkHeader(_ name: String, _ value: String) throws(JetStreamError) {
      let part = "header \(name.debugDescription)"
      if name.isEmpty { throw refused("the name of a header is empty") }
      // As in HTTP: visible characters of ASCII, but for the colon, which ends the name.
      guard name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ":") }) else {
        throw refused("the name of the \(part) has a space, a colon, or a character that is not of ASCII")
      }
      // The library (3.4.1) reads the next header as a part of an empty value.
      if value.isEmpty { throw refused("the value of the \(part) is empty") }
      if value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) {
        throw refused("the value of the \(part) has a line break or a zero")
      }
    }

    /// Checks a text that the library puts into JSON as it is.
    static func checkPlainText(_ text: String?, _ part: Part) throws(JetStreamError) {
      guard let text else { return }
      for byte in text.utf8 where byte < 32 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        throw refused(part, text, "has a quotation mark, a backslash or a control character")
      }
    }

    /// What is wrong with a byte that ends a word, or that nobody sees.
    private static func invisible(_ byte: UInt8) -> String? {
      switch byte {
      case 32: "has a space"
      case 10, 13: "has a line break"
      case 0..<32, 127: "has a control character"
      default: nil
      }
    }

    private static func refused(_ part: Part, _ text: String, _ fault: String) -> JetStreamError {
      refused("the \(part.rawValue)\(text.isEmpty ? "" : " " + text.debugDescription) \(fault)")
    }

    private static func refused(_ text: String) -> JetStreamError { JetStreamError(.refused, text: text) }
  }

  extension OutgoingMessage {

    /// Checks all that goes to the server besides the payload.
    func check() throws(JetStreamError) {
      try Names.checkSubject(subject)
      if let id { try Names.checkHeader("Nats-Msg-Id", id) }
      for (name, values) in headers { for value in values { try Names.checkHeader(name, value) } }
    }
  }

  extension StreamConfiguration {

    func check() throws(JetStreamError) {
      try Names.checkName(name, .stream)
      for subject in subjects { try Names.checkPattern(subject) }
      for source in sources + (mirror.map { [$0] } ?? []) {
        try Names.checkName(source.name, .stream)
        if let filter = source.filterSubject { try Names.checkPattern(filter) }
      }
      try Names.checkPlainText(text, .description)
    }
  }

  extension ConsumerConfiguration {

    func check() throws(JetStreamError) {
      if let durable { try Names.checkName(durable, .consumer) }
      if let filterSubject, !filterSubject.isEmpty { try Names.checkPattern(filterSubject) }
      try Names.checkPlainText(text, .description)
    }
  }
#endif
