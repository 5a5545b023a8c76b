import CombineCore

/// How long a shared publisher keeps what it replays.
public enum ReplayScope: Hashable, Sendable {

  /// While there is a subscriber. The next subscriber then starts anew.
  case whileSubscribed

  /// As long as the shared publisher exists. The next subscriber receives the old values first, and the upstream is
  /// subscribed to again unless it has completed.
  case forever
}

extension Publisher {

  /// Shares one subscription to this publisher, and replays its last elements to each new subscriber.
  ///
  /// The first subscriber connects the upstream, which is asked for everything. When the last one cancels, the upstream is
  /// cancelled. Elements wait for the demand of each subscriber.
  ///
  /// There is one subscription at a time: the next one is made after the upstream's `cancel` has returned. While the first
  /// subscriber's thread subscribes to the upstream, a subscriber on another thread does not wait. It may miss what is sent
  /// in that time and is not replayed.
  ///
  /// ```swift
  /// marbles {
  ///   "-a----b---|"
  ///   let shared = $0[0].share(replay: 1, scope: .whileSubscribed)
  ///   let second = shared.delaySubscription(for: 3, scheduler: $0.scheduler)
  ///   shared.merge(with: second.map { $0.uppercased() })
  ///   "-a-A--(bB)|"
  /// }
  /// marbles {
  ///   "-a----b---|"
  ///   let shared = $0[0].share(replay: 1, scope: .forever)
  ///   shared.prefix(1).append(shared)
  ///   "-(aa)-b---|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let source = PassthroughSubject<Int, Never>()
  /// let shared = source.share(replay: 1, scope: .whileSubscribed)
  /// let first = shared.sink { print("first \($0)") }
  /// source.send(1)  // prints first 1
  /// let second = shared.sink { print("second \($0)") }  // prints second 1
  /// first.cancel()
  /// second.cancel()
  /// ```
  ///
  /// While the first subscriber's thread connects, a subscriber on another thread does not wait for the connection. Of what
  /// the upstream sends in that time it may receive the last `count` elements only, as if it had come later.
  ///
  /// - Parameters:
  ///   - count: The maximum number of elements that a new subscriber receives.
  ///   - scope: How long the elements are kept.
  /// - Returns: A publisher that shares one subscription.
  @inlinable
  public func share(replay count: Int, scope: ReplayScope) -> AnyPublisher<Output, Failure> {
    switch scope {
    case .whileSubscribed:
      multicast { ReplaySubject(replaying: count) }.referenceCounted().eraseToAnyPublisher()
    case .forever:
      multicast(subject: ReplaySubject(replaying: count)).autoconnect().eraseToAnyPublisher()
    }
  }
}
