#if JetStream
  import Foundation

  /// The server's word that it does not permit a publish or a subscription to this program.
  ///
  /// The server sends it apart from what has caused it. Without it, a request only has no answer.
  struct PermissionViolation: Sendable, Equatable {

    /// The subject of the publish or of the subscription.
    let subject: String

    /// Whether it is a subscription, and not a publish.
    let isSubscription: Bool

    /// The server's words.
    let text: String

    /// Reads the words of a server, such as `Permissions Violation for Publish to "orders.new"`.
    init?(text: String) {
      guard let start = text.range(of: "Permissions Violation for ", options: .caseInsensitive) else { return nil }
      let words = text[start.upperBound...]
      guard let quote = words.firstIndex(of: "\""), let end = words[words.index(after: quote)...].firstIndex(of: "\"")
      else {
        return nil
      }
      subject = String(words[words.index(after: quote)..<end])
      isSubscription = words.lowercased().hasPrefix("subscription")
      self.text = String(text[start.lowerBound...])
    }

    var error: JetStreamError { JetStreamError(.authentication, text: text) }

    /// Whether it concerns a publish to one of some subjects, or to one that begins with it and a dot.
    func concerns(publishesTo subjects: [String]) -> Bool {
      !isSubscription && subjects.contains { subject == $0 || subject.hasPrefix($0 + ".") }
    }

    /// Whether it concerns the subscription of an inbox.
    func concerns(inbox: String) -> Bool { isSubscription && subject.hasPrefix(inbox) }
  }
#endif
