import CombineCore

extension SpecModels {

  /// `referenceCounted()`. Rows `reference-counted.connection` and `reference-counted.end`.
  public final class ReferenceCounted<Shared: Subject>: Publisher {

    public typealias Output = Shared.Output
    public typealias Failure = Shared.Failure

    private let upstream: AnyPublisher<Output, Failure>
    private let createSubject: () -> Shared
    private var current: Connection?

    /// Whether a connection is being closed: row `threads.connection-closes`.
    private var isOccupied = false

    public init(_ upstream: some Publisher<Output, Failure>, _ createSubject: @escaping () -> Shared) {
      self.upstream = upstream.eraseToAnyPublisher()
      self.createSubject = createSubject
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let new = current == nil ? Connection(createSubject()) : nil
      // The closure may have subscribed a subscriber itself. This one then joins it.
      let isFirst = current == nil
      let connection = current ?? new!
      current = connection
      connection.count += 1
      connection.subject.subscribe(Member(subscriber, connection, self))
      guard isFirst else { return }
      connection.hasSubscriber = true
      connectCurrent()
    }

    private func connectCurrent() {
      while !isOccupied, let connection = current, connection.hasSubscriber {
        isOccupied = true
        let cancellable = upstream.subscribe(connection.subject)
        guard connection.hasEnded else {
          connection.cancellable = cancellable
          return
        }
        cancellable.cancel()
        isOccupied = false
      }
    }

    private func disconnect(_ connection: Connection) {
      connection.hasEnded = true
      if current === connection { current = nil }
      guard let cancellable = connection.cancellable else { return }
      connection.cancellable = nil
      cancellable.cancel()
      isOccupied = false
      connectCurrent()
    }

    private final class Connection {

      let subject: Shared
      var count = 0
      var hasSubscriber = false
      var cancellable: AnyCancellable?
      var hasEnded = false

      init(_ subject: Shared) { self.subject = subject }
    }

    private final class Member: Subscriber, Subscription, CustomStringConvertible {

      typealias Input = Output

      let description = "ReferenceCounted"
      private let downstream: any Subscriber<Output, Failure>
      private let connection: Connection
      private let owner: ReferenceCounted
      private var subscription: (any Subscription)?
      private var isOver = false
      private var hasLeft = false

      init(_ downstream: any Subscriber<Output, Failure>, _ connection: Connection, _ owner: ReferenceCounted) {
        self.downstream = downstream
        self.connection = connection
        self.owner = owner
      }

      deinit { leave() }

      private func leave() {
        if hasLeft { return }
        hasLeft = true
        connection.count -= 1
        if connection.count == 0 { owner.disconnect(connection) }
      }

      func receive(subscription: any Subscription) {
        guard !isOver, self.subscription == nil else { return subscription.cancel() }
        self.subscription = subscription
        downstream.receive(subscription: self)
      }

      func receive(_ input: Output) -> Subscribers.Demand { downstream.receive(input) }

      func receive(completion: Subscribers.Completion<Failure>) {
        guard let last = subscription else { return }
        subscription = nil
        isOver = true
        withExtendedLifetime(last) { downstream.receive(completion: completion) }
      }

      func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }

      func cancel() {
        isOver = true
        let last = subscription
        subscription = nil
        last?.cancel()
        leave()
      }
    }
  }
}
