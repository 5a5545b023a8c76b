import CombineCore
import CombineFoundation
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {

  /// Returns a publisher that loads a URL.
  ///
  /// ```swift
  /// let url = URL(string: "https://www.swift.org")!
  /// let cancellable = URLSession.shared.dataTaskPublisher(for: url)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.data.count) })
  /// ```
  ///
  /// - Parameter url: What to load.
  /// - Returns: A publisher that starts a data task of its own for each subscriber, at its first request. It sends data
  ///   and response, whatever the HTTP status, and finishes; or it fails with the error of the task. Both come on the
  ///   session's delegate queue. A cancel cancels the task.
  public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
    dataTaskPublisher(for: URLRequest(url: url))
  }

  /// Returns a publisher that loads a request.
  ///
  /// ```swift
  /// var request = URLRequest(url: URL(string: "https://www.swift.org")!)
  /// request.httpMethod = "HEAD"
  /// let cancellable = URLSession.shared.dataTaskPublisher(for: request)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.response) })
  /// ```
  ///
  /// - Parameter request: What to load.
  /// - Returns: A publisher that starts a data task of its own for each subscriber, at its first request. It sends data
  ///   and response, whatever the HTTP status, and finishes; or it fails with the error of the task. Both come on the
  ///   session's delegate queue. A cancel cancels the task.
  public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
    DataTaskPublisher(request: request, session: self)
  }

  /// A publisher that loads a request: a new data task for each subscriber.
  ///
  /// - Warning: Foundation outside Apple's platforms can end the process when a data task is cancelled in the moment in
  ///   which it completes: "Trying to access a behaviour for a task that in not in the registry". A task without this
  ///   publisher is no different. The publisher never cancels a task whose completion it has seen, but Foundation
  ///   forgets the task before it tells of the completion, and no order of calls avoids that. Do not cancel many short
  ///   requests to a server nearby at random moments; ignore what they send instead.
  public struct DataTaskPublisher: Publisher, Sendable {

    /// The kind of values: what was loaded, empty if nothing, and the response.
    public typealias Output = (data: Data, response: URLResponse)

    /// The kind of errors this publisher can fail with.
    public typealias Failure = URLError

    /// What is loaded.
    public let request: URLRequest

    /// The session that makes the tasks.
    public let session: URLSession

    /// Creates a publisher that loads a request.
    ///
    /// - Parameters:
    ///   - request: What to load.
    ///   - session: The session that makes the tasks.
    public init(request: URLRequest, session: URLSession) {
      self.request = request
      self.session = session
    }

    /// Sends the subscriber a subscription, which starts a data task when values are requested.
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
/// While the task runs it holds the subscription, by its completion handler, so that it goes on though nobody else does.
private final class DataTaskSubscription: Subscription {

  typealias Deliver = (Result<URLSession.DataTaskPublisher.Output, URLError>) -> Void

  /// What is let go at the end.
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
    _ = task  // Released with the lock free.
    if let response, error == nil {
      link?.deliver(.success((data ?? Data(), response)))
    } else {
      link?.deliver(.failure(URLError(taskError: error)))
    }
  }

  func cancel() {
    let (link, task) = lock.withLock { (exchange(&self.link, with: nil), state.end(isCancel: true)) }
    _ = link  // Released with the lock free.
    task?.cancel()
  }
}

// Link and state are guarded by the lock, the demand is atomic.
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

/// What becomes of the data task of one subscription.
///
/// idle → creating → running → ended. The task is made with no lock held, so anything may come while it is created.
package struct DataTaskState<Task> {

  private enum Phase {
    case idle

    /// The session makes the task, which is to be resumed so many times.
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

  /// The task while it runs.
  package var task: Task? {
    if case .running(let task) = phase { task } else { nil }
  }

  /// Values are requested: each request resumes the task, the first one makes it.
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

  /// The session has made the task.
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

  /// The task has completed, or the subscription is cancelled.
  ///
  /// - Returns: The task if it runs.
  package mutating func end(isCancel: Bool) -> Task? {
    if case .ended = phase { return nil }
    let task = self.task
    phase = .ended(isCancelled: isCancel)
    return task
  }
}

extension URLError {

  /// What a data task's error is to a subscriber.
  fileprivate init(taskError error: (any Error)?) {
    if let error = error as? URLError {
      self = error
    } else if let error = error as? NSError, error.domain == NSURLErrorDomain {
      // Apple's Foundation casts such an error; the open one does not.
      self.init(URLError.Code(rawValue: error.code) ?? .unknown, userInfo: error.userInfo)
    } else {
      self.init(.unknown)
    }
  }
}
