import CombineCore

extension SpecModels {

  /// The elements of a group or of a window: "each publishes its elements to one subscriber, for which they wait, and to
  /// which they go as it has demand".
  public final class Part<Output, Failure: Error>: Publisher {

    private let name: String
    private let onCancel: (Part) -> Void
    private var waiting: [Output] = []
    private var hasHadSubscriber = false
    private var member: Member?
    private var completion: Subscribers.Completion<Failure>?

    /// - Parameter onCancel: A closure that is called when the subscriber has cancelled before the completion.
    init(name: String, onCancel: @escaping (Part) -> Void) {
      self.name = name
      self.onCancel = onCancel
    }

    /// Whether there is a subscriber, which has not cancelled, and no completion.
    var isSubscribed: Bool { member != nil }

    func send(_ value: Output) {
      if completion != nil { return }
      if let member { member.send(value) } else if !hasHadSubscriber { waiting.append(value) }
    }

    func send(completion: Subscribers.Completion<Failure>) {
      if self.completion != nil { return }
      self.completion = completion
      let last = member
      member = nil
      last?.complete(completion)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let member = Member(self, name: name, downstream: subscriber)
      if hasHadSubscriber {
        // "Any other subscriber receives a finish only."
        member.complete(.finished)
      } else {
        hasHadSubscriber = true
        for value in waiting { member.keep(value) }
        waiting = []
        if let completion { member.complete(completion) } else { self.member = member }
      }
      member.start()
    }

    private func close(_ ended: Member) {
      guard member === ended else { return }
      member = nil
      onCancel(self)
    }

    private final class Member: Queued<Output, Failure, Output, Failure> {

      private let part: Part

      init(_ part: Part, name: String, downstream: any Subscriber<Output, Failure>) {
        self.part = part
        super.init(name: name, downstream: downstream)
      }

      override func ask(_ demand: Subscribers.Demand) {}

      override func didEnd() { part.close(self) }
    }
  }
}
