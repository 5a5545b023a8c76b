#if canImport(FoundationNetworking) || canImport(Darwin)
  import CombineThreads
  import CombineCore
  import CombineFoundation
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension URLSession {

    /// Returns a publisher that loads the contents of a URL.
    ///
    /// ```swift
    /// let url = URL(string: "https://www.swift.org")!
    /// let cancellable = URLSession.shared.dataTaskPublisher(for: url)
    ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.data.count) })
    /// ```
    ///
    /// - Parameter url: The URL to load.
    /// - Returns: A publisher that starts a separate data task for each subscriber, at its first request. It sends data
    ///   and response, whatever the HTTP status is, and finishes. If the task fails, it fails with the task's error. Both
    ///   arrive on the session's delegate queue. Cancelling the subscription cancels the task.
    public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
      dataTaskPublisher(for: URLRequest(url: url))
    }

    /// Returns a publisher that loads a URL request.
    ///
    /// ```swift
    /// var request = URLRequest(url: URL(string: "https://www.swift.org")!)
    /// request.httpMethod = "HEAD"
    /// let cancellable = URLSession.shared.dataTaskPublisher(for: request)
    ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.response) })
    /// ```
    ///
    /// - Parameter request: The request to load.
    /// - Returns: A publisher that starts a separate data task for each subscriber, at its first request. It sends data
    ///   and response, whatever the HTTP status is, and finishes. If the task fails, it fails with the task's error. Both
    ///   arrive on the session's delegate queue. Cancelling the subscription cancels the task.
    public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
      DataTaskPublisher(request: request, session: self)
    }

    /// A publisher that loads a URL request, with a new data task for each subscriber.
    ///
    /// - Warning: Outside Apple's platforms, Foundation can end the process if a data task is cancelled at the moment at
    ///   which it completes: "Trying to access a behaviour for a task that in not in the registry". This also happens
    ///   without this publisher. The publisher never cancels a task after it has received the completion. But Foundation
    ///   forgets the task before it calls the completion handler, and no order of calls avoids that. Do not cancel many
    ///   short requests to a nearby server at random moments. Ignore their values instead.
    public struct DataTaskPublisher: Publisher, Sendable {

      /// The kind of values this publisher publishes: the response and the loaded data, which may be empty.
      public typealias Output = (data: Data, response: URLResponse)

      /// The kind of errors this publisher can fail with.
      public typealias Failure = URLError

      /// The request that is loaded.
      public let request: URLRequest

      /// The session that creates the tasks.
      public let session: URLSession

      /// Creates a publisher that loads a request.
      ///
      /// - Parameters:
      ///   - request: The request to load.
      ///   - session: The session that creates the tasks.
      public init(request: URLRequest, session: URLSession) {
        self.request = request
        self.session = session
      }

      /// Sends `subscriber` a subscription, which starts a data task at the first request.
      public func receive<S: Subscriber>(subscriber: S)
      where S.Input == (data: Data, response: URLResponse), S.Failure == URLError {
        let subscription = DataTaskSubscription(publisher: self, downstream: subscriber) { result in
          switch result {
          case .success(let value):
            _ = subscriber.receive(value)
            subscriber.receive(completion: .finished)
          case .failure(let error):
            subscriber.receive(completion: .failure(error))
          }
        }
        subscriber.receive(subscription: subscription)
      }
    }
  }

  /// The subscription of one subscriber to one data task.
  ///
  /// While the task runs, its completion handler holds the subscription. So the task continues even if no other object
  /// holds the subscription.
  private final class DataTaskSubscription: Subscription {

    typealias Deliver = (Result<URLSession.DataTaskPublisher.Output, URLError>) -> Void

    /// The objects to release at the end.
    private struct Link {
      var publisher: URLSession.DataTaskPublisher
      var downstream: Any
      var deliver: Deliver
    }

    private let demand = DemandCounter()
    private let lock = Lock()

    @exclusivity(unchecked)  // These two: only with the lock held.
    private var link: Link?

    @exclusivity(unchecked)
    private var state = DataTaskState<URLSessionDataTask>()

    init(publisher: URLSession.DataTaskPublisher, downstream: Any, deliver: @escaping Deliver) {
      link = Link(publisher: publisher, downstream: downstream, deliver: deliver)
    }

    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero("DataTaskPublisher")
      let (action, publisher) = lock.withLock {
        if link != nil { self.demand.add(demand) }
        return (state.request(), link?.publisher)
      }
      switch action {
      case .create:
        if let publisher { start(publisher) }
      case .resume(let task):
        task.resume()
      case .nothing:
        break
      }
    }

    private func start(_ publisher: URLSession.DataTaskPublisher) {
      let task = publisher.session.dataTask(with: publisher.request) { data, response, error in
        self.receive(data, response, error)
      }
      switch lock.withLock({ state.created(task) }) {
      case .resume(let times):
        for _ in 0..<times { task.resume() }
      case .cancel:
        task.cancel()
      case .nothing:
        break
      }
    }

    private func receive(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
      let (link, task) = lock.withLock { (exchange(&self.link, with: nil), state.end(isCancel: false)) }
      _ = task  // Released with no lock held.
      if let response, error == nil {
        link?.deliver(.success((data ?? Data(), response)))
      } else {
        link?.deliver(.failure(URLError(taskError: error)))
      }
    }

    func cancel() {
      let (link, task) = lock.withLock { (exchange(&self.link, with: nil), state.end(isCancel: true)) }
      _ = link  // Released with no lock held.
      task?.cancel()
    }
  }

  // The lock guards the link and the state. The demand is atomic.
  extension DataTaskSubscription: @unchecked Sendable {}

  extension DataTaskSubscription: DescribedByName {

    var description: String { "DataTaskPublisher" }

    var reflectedChildren: KeyValuePairs<String, Any> {
      let (link, task) = lock.withLock { (self.link, state.task) }
      return [
        "task": task as Any,
        "downstream": link?.downstream as Any,
        "parent": link?.publisher as Any,
        "demand": demand.value,
      ]
    }
  }

  /// The pure state of one subscription's data task.
  ///
  /// The phases are idle → creating → running → ended. The task is created with no lock held, so any call may arrive
  /// during its creation.
  package struct DataTaskState<Task> {

    private enum Phase {
      case idle

      /// The session is creating the task, which will be resumed `resumes` times.
      case creating(resumes: Int)

      case running(Task)

      case ended(isCancelled: Bool)
    }

    package enum RequestAction {
      case create
      case resume(Task)
      case nothing
    }

    package enum CreatedAction: Equatable {
      case resume(times: Int)
      case cancel
      case nothing
    }

    private var phase = Phase.idle

    package init() {}

    /// The task while it is running.
    package var task: Task? {
      if case .running(let task) = phase { task } else { nil }
    }

    /// Handles a request for values. Each request resumes the task, and the first one also creates it.
    package mutating func request() -> RequestAction {
      switch phase {
      case .idle:
        phase = .creating(resumes: 1)
        return .create
      case .creating(let resumes):
        phase = .creating(resumes: resumes + 1)
        return .nothing
      case .running(let task):
        return .resume(task)
      case .ended:
        return .nothing
      }
    }

    /// Handles the task that the session has created.
    package mutating func created(_ task: Task) -> CreatedAction {
      switch phase {
      case .creating(let resumes):
        phase = .running(task)
        return .resume(times: resumes)
      case .ended(isCancelled: true):
        return .cancel
      case .idle, .running, .ended(isCancelled: false):
        return .nothing
      }
    }

    /// Handles the completion of the task, or a cancellation.
    ///
    /// - Returns: The task if it is running.
    package mutating func end(isCancel: Bool) -> Task? {
      if case .ended = phase { return nil }
      let task = self.task
      phase = .ended(isCancelled: isCancel)
      return task
    }
  }

  extension URLError {

    /// Creates the error that the subscriber receives for a task's error.
    fileprivate init(taskError error: (any Error)?) {
      if let error = error as? URLError {
        self = error
      } else if let error = error as? NSError, error.domain == NSURLErrorDomain {
        // Apple's Foundation casts such an error. The open-source Foundation does not.
        self.init(URLError.Code(rawValue: error.code) ?? .unknown, userInfo: error.userInfo)
      } else {
        self.init(.unknown)
      }
    }
  }
#endif
