import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session that loads nothing, and logs its calls and those of its tasks. The test completes the tasks.
final class LoggingSession: URLSession, @unchecked Sendable {

  enum Call: Equatable, Sendable {
    case dataTask(URLRequest)
    case resume
    case cancel
  }

  typealias Handler = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

  let log = SharedLog<Call>()
  let handlers = SharedLog<Handler>()
  let tasks = SharedLog<LoggingTask>()

  /// Runs while a task is made, before it is returned.
  var onDataTask: (Handler) -> Void = { _ in }

  override func dataTask(with request: URLRequest, completionHandler: @escaping Handler) -> URLSessionDataTask {
    log.append(.dataTask(request))
    handlers.append(completionHandler)
    onDataTask(completionHandler)
    let task = LoggingTask(log)
    tasks.append(task)
    return task
  }
}

final class LoggingTask: URLSessionDataTask, @unchecked Sendable {

  private let log: SharedLog<LoggingSession.Call>

  init(_ log: SharedLog<LoggingSession.Call>) {
    self.log = log
    super.init()
  }

  override func resume() {
    log.append(.resume)
  }

  override func cancel() {
    log.append(.cancel)
  }
}
