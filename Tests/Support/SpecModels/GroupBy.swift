import CombineCore

extension SpecModels {

  /// `groupBy`: a publisher of groups, each with the elements of one key.
  public struct GroupBy<Upstream: Publisher, Key: Hashable>: Publisher {

    public typealias Output = Part<Upstream.Output, Upstream.Failure>
    public typealias Failure = Upstream.Failure

    private let upstream: Upstream
    private let maxGroups: Int?
    private let key: (Upstream.Output) -> Key

    public init(_ upstream: Upstream, maxGroups: Int?, _ key: @escaping (Upstream.Output) -> Key) {
      self.upstream = upstream
      self.maxGroups = maxGroups
      self.key = key
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(Inner(downstream: subscriber, maxGroups: maxGroups, key: key))
    }

    private final class Inner: Queued<Upstream.Output, Failure, Output, Failure> {

      private let maxGroups: Int?
      private let key: (Upstream.Output) -> Key

      /// The open groups. The one whose last element is the oldest is first.
      private var groups: [(key: Key, part: Output)] = []

      init(downstream: any Subscriber<Output, Failure>, maxGroups: Int?, key: @escaping (Upstream.Output) -> Key) {
        self.maxGroups = maxGroups
        self.key = key
        super.init(name: "GroupBy", downstream: downstream)
      }

      /// "The upstream is asked for everything."
      override func receive(subscription: any Subscription) {
        guard accept(subscription) else { return }
        start()
        upstream?.request(.unlimited)
      }

      override func ask(_ demand: Subscribers.Demand) {}

      override func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        // An element before the subscription or after the end, against the protocol, is ignored.
        if upstream == nil { return .none }
        let key = key(input)
        if let index = groups.firstIndex(where: { $0.key == key }) {
          let group = groups.remove(at: index)
          groups.append(group)
          group.part.send(input)
        } else if !isClosed {
          // After the cancel of the groups' subscriber "no new group opens".
          open(key, input)
        }
        return .none
      }

      /// "An element whose key has no group publishes a new group first", in which the element waits. "A new group finishes
      /// the one whose last element is the oldest."
      private func open(_ key: Key, _ input: Upstream.Output) {
        let part = Output(name: "GroupBy") { [weak self] in self?.close($0) }
        let evicted = groups.count == maxGroups ? groups.removeFirst() : nil
        groups.append((key, part))
        evicted?.part.send(completion: .finished)
        part.send(input)
        send(part)
      }

      /// "A subscriber that cancels its group closes it, and the next element of that key opens a new one."
      private func close(_ part: Output) {
        groups.removeAll { $0.part === part }
        cancelIfUnused()
      }

      override func didEnd() { cancelIfUnused() }

      /// "When the subscriber of the groups cancels, groups that are subscribed to go on." "The upstream is cancelled when no
      /// subscriber is left." The groups without a subscriber finish then.
      private func cancelIfUnused() {
        if !isClosed || groups.contains(where: \.part.isSubscribed) { return }
        let rest = groups
        groups = []
        cancelUpstream()
        for group in rest { group.part.send(completion: .finished) }
      }

      /// "The groups complete as this publisher does, after their last element."
      override func upstreamCompleted(_ completion: Subscribers.Completion<Failure>) {
        let last = groups
        groups = []
        for group in last { group.part.send(completion: completion) }
        complete(completion)
      }
    }
  }
}
