import CombineDispatch
import CombineNetworking
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private typealias Output = URLSession.DataTaskPublisher.Output
private typealias Subscriber = RecordingSubscriber<Output, URLError>

private let url = URL(string: "http://127.0.0.1/path")!
private let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 3, textEncodingName: nil)

/// The events of a data task's subscriber, without the subscription.
private enum Outcome: Equatable {
  case value(String, status: Int?)
  case finished
  case failure(URLError.Code)
}

/// A subscriber whose values and completion the test can compare and await.
private struct Recorder {

  let outcomes = SharedLog<Outcome>()
  let subscriber: Subscriber

  init(requesting demand: Subscribers.Demand? = nil) {
    subscriber = Subscriber(
      onSubscription: { if let demand { $0.request(demand) } },
      onValue: { [outcomes] value in
        let status = (value.response as? HTTPURLResponse)?.statusCode
        outcomes.append(.value(String(decoding: value.data, as: UTF8.self), status: status))
        return .unlimited
      },
      onCompletion: { [outcomes] completion in
        switch completion {
        case .finished: outcomes.append(.finished)
        case .failure(let error): outcomes.append(.failure(error.code))
        }
      }
    )
  }

  /// Waits for a completion: the first event if it is a failure, and the second otherwise.
  func waitForCompletion() -> [Outcome] {
    if case .value = outcomes.wait(for: 1, seconds: 60).first { outcomes.wait(for: 2, seconds: 60) }
    return outcomes.values
  }
}

@Suite struct DataTaskPublisherTests {

  private let session = LoggingSession(configuration: .default)

  /// Subscribes to a data task of the logging session.
  private func subscribe(_ subscriber: Subscriber) {
    session.dataTaskPublisher(for: url).subscribe(subscriber)
  }

  @Test func storesItsParameters() {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    #expect(session.dataTaskPublisher(for: request).request == request)
    #expect(session.dataTaskPublisher(for: request).session === session)
    #expect(session.dataTaskPublisher(for: url).request == URLRequest(url: url))
    #expect(URLSession.DataTaskPublisher(request: request, session: session).request.httpMethod == "PUT")
    #expect(!(session.dataTaskPublisher(for: url) as Any is any Equatable))
  }

  // MARK: Requests and cancels

  @Test func subscribingMakesNoTask() {
    let subscriber = Subscriber()
    subscribe(subscriber)
    #expect(subscriber.subscription != nil)
    #expect(subscriber.events.count == 1)
    #expect(session.log.values.isEmpty)
  }

  @Test func everyRequestResumesTheOneTask() {
    let subscriber = Subscriber(requesting: .max(2))
    subscribe(subscriber)
    subscriber.request(.max(1))
    #expect(session.log.values == [.dataTask(URLRequest(url: url)), .resume, .resume])
    #expect(reflectedChild("demand", of: subscriber.subscription!) as? Subscribers.Demand == .max(3))
  }

  @Test func nestedCallsDuringTheValueReachNoTask() {
    let subscriber = Subscriber(requesting: .max(1))
    subscriber.onValue = { [session] _ in
      subscriber.request(.max(1))
      subscriber.cancel()
      session.handlers.values[0](nil, nil, URLError(.timedOut))
      return .unlimited
    }
    subscribe(subscriber)
    session.handlers.values[0](Data(), response, nil)
    #expect(subscriber.values.count == 1)
    #expect(session.log.values == [.dataTask(URLRequest(url: url)), .resume])
  }

  @Test func requestingNoneTrapsAfterTheCompletionToo() async {
    await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let subscriber = RecordingSubscriber<URLSession.DataTaskPublisher.Output, URLError>(requesting: .max(1))
      let session = LoggingSession(configuration: .default)
      session.dataTaskPublisher(for: URL(string: "http://127.0.0.1")!).subscribe(subscriber)
      session.handlers.values[0](nil, nil, URLError(.timedOut))
      // Without a completion the process would not have failed.
      if subscriber.events.count == 2 { subscriber.request(.none) }
    }.expectMisuse("DataTaskPublisher", .zeroDemand)
  }

  @Test func requestsAfterACancelHaveNoEffect() {
    let subscriber = Subscriber()
    subscribe(subscriber)
    subscriber.cancel()
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(session.log.values.isEmpty)
    #expect(subscriber.events.count == 1)
  }

  @Test func cancelCancelsTheTaskOnceAndItsCompletionIsIgnored() {
    let subscriber = Subscriber(requesting: .unlimited)
    subscribe(subscriber)
    subscriber.cancel()
    subscriber.cancel()
    subscriber.request(.max(1))
    session.handlers.values[0](Data(), response, nil)
    #expect(session.log.values == [.dataTask(URLRequest(url: url)), .resume, .cancel])
    #expect(subscriber.events.count == 1)
  }

  @Test func theFirstCompletionEndsTheSubscription() {
    let recorder = Recorder(requesting: .max(1))
    let subscriber = recorder.subscriber
    subscribe(subscriber)
    let handler = session.handlers.values[0]
    handler(Data("a".utf8), response, nil)
    handler(Data("b".utf8), response, nil)
    handler(nil, nil, nil)
    subscriber.request(.max(1))
    subscriber.cancel()
    #expect(recorder.outcomes.values == [.value("a", status: nil), .finished])
    #expect(session.log.values == [.dataTask(URLRequest(url: url)), .resume])
  }

  @Test func everySubscriberHasItsOwnTask() {
    let publisher = session.dataTaskPublisher(for: url)
    for _ in 0..<3 { publisher.subscribe(Subscriber(requesting: .max(1))) }
    #expect(session.tasks.values.count == 3)
    #expect(session.log.values.filter { $0 == .resume }.count == 3)
  }

  // MARK: Events while the task is made

  @Test func aRequestWhileTheTaskIsMadeResumesItToo() {
    let subscriber = Subscriber()
    subscribe(subscriber)
    session.onDataTask = { _ in subscriber.request(.max(1)) }
    subscriber.request(.max(1))
    #expect(session.log.values == [.dataTask(URLRequest(url: url)), .resume, .resume])
  }

  @Test func aCancelWhileTheTaskIsMadeCancelsIt() {
    let subscriber = Subscriber()
    subscribe(subscriber)
    session.onDataTask = { _ in subscriber.cancel() }
    subscriber.request(.max(1))
    #expect(session.log.values == [.dataTask(URLRequest(url: url)), .cancel])
  }

  @Test func aCompletionWhileTheTaskIsMadeEndsTheSubscription() {
    let recorder = Recorder()
    subscribe(recorder.subscriber)
    session.onDataTask = { $0(nil, response, nil) }
    recorder.subscriber.request(.max(1))
    #expect(session.log.values == [.dataTask(URLRequest(url: url))])
    #expect(recorder.outcomes.values == [.value("", status: nil), .finished])
  }

  // MARK: Completions

  @Test func dataAndResponseAreAValueAndAFinish() {
    let recorder = Recorder(requesting: .max(1))
    subscribe(recorder.subscriber)
    session.handlers.values[0](Data("abc".utf8), response, nil)
    #expect(recorder.outcomes.values == [.value("abc", status: nil), .finished])
    #expect(recorder.subscriber.values[0].response === response)
  }

  @Test func missingDataIsEmptyData() {
    #expect(outcomes(nil, response, nil) == [.value("", status: nil), .finished])
  }

  @Test func errorsAreFailures() {
    let other = TestError("other")
    #expect(outcomes(nil, nil, URLError(.timedOut)) == [.failure(.timedOut)])
    #expect(outcomes(Data(), response, URLError(.cannotFindHost)) == [.failure(.cannotFindHost)])
    #expect(outcomes(Data(), response, other) == [.failure(.unknown)])
    #expect(outcomes(nil, nil, other) == [.failure(.unknown)])
    #expect(outcomes(Data(), nil, nil) == [.failure(.unknown)])
    #expect(outcomes(nil, nil, nil) == [.failure(.unknown)])
  }

  @Test func nsErrorsOfTheURLErrorDomainAreURLErrors() {
    let known = NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut, userInfo: ["key": "value"])
    #expect(outcomes(nil, nil, known) == [.failure(.timedOut)])
    let subscriber = Subscriber(requesting: .max(1))
    var userInfo: [String: Any] = [:]
    subscriber.onCompletion = { if case .failure(let error) = $0 { userInfo = error.errorUserInfo } }
    subscribe(subscriber)
    session.handlers.values[0](nil, nil, known)
    #expect(userInfo["key"] as? String == "value")
    #expect(outcomes(nil, nil, NSError(domain: "other", code: NSURLErrorTimedOut)) == [.failure(.unknown)])
  }

  /// The events of a subscriber when a task completes with these arguments.
  private func outcomes(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> [Outcome] {
    let session = LoggingSession(configuration: .default)
    let recorder = Recorder(requesting: .max(1))
    session.dataTaskPublisher(for: url).subscribe(recorder.subscriber)
    session.handlers.values[0](data, response, error)
    return recorder.outcomes.values
  }

  // MARK: Ownership and reflection

  @Test func theHandlerKeepsTheSubscriptionUntilTheTaskCompletes() {
    var isReleased = false
    var values = 0
    let handlers: SharedLog<LoggingSession.Handler>
    do {
      let session = LoggingSession(configuration: .default)
      handlers = session.handlers
      let subscriber = Subscriber(
        onSubscription: { $0.request(.max(1)) },
        onValue: { _ in
          values += 1
          return .none
        },
        onDeinit: { isReleased = true }
      )
      session.dataTaskPublisher(for: url).subscribe(subscriber)
      subscriber.dropSubscription()
    }
    #expect(!isReleased)
    handlers.values[0](nil, response, nil)
    #expect(values == 1)
    // The log still keeps the handler.
    #expect(isReleased)
  }

  @Test func cancelReleasesDownstreamAndTask() {
    var isReleased = false
    var subscription: (any Subscription)?
    do {
      let subscriber = Subscriber(onSubscription: { $0.request(.max(1)) }, onDeinit: { isReleased = true })
      subscribe(subscriber)
      subscription = subscriber.subscription
      subscriber.dropSubscription()
    }
    #expect(!isReleased)
    subscription?.cancel()
    #expect(isReleased)
    #expect(reflectedChild("task", of: subscription!) as? URLSessionDataTask == nil)
  }

  @Test func reflectsItself() {
    let subscriber = Subscriber()
    subscribe(subscriber)
    let subscription = subscriber.subscription!
    expectReflection(
      of: subscription,
      description: "DataTaskPublisher",
      children: ["task", "downstream", "parent", "demand"]
    )
    #expect(reflectedChild("task", of: subscription) as? URLSessionDataTask == nil)
    #expect(reflectedChild("downstream", of: subscription) as? Subscriber === subscriber)
    #expect((reflectedChild("parent", of: subscription) as? URLSession.DataTaskPublisher)?.session === session)
    #expect(reflectedChild("demand", of: subscription) as? Subscribers.Demand == Subscribers.Demand.none)

    subscriber.request(.max(2))
    #expect(reflectedChild("task", of: subscription) as? LoggingTask === session.tasks.values[0])
    session.handlers.values[0](nil, response, nil)
    #expect(reflectedChild("task", of: subscription) as? URLSessionDataTask == nil)
    #expect(reflectedChild("downstream", of: subscription) as? Subscriber == nil)
    #expect(reflectedChild("parent", of: subscription) as? URLSession.DataTaskPublisher == nil)
  }

  // MARK: Threads

  @Test func requestsAndCancelsOfManyThreadsMakeOneTaskAtMost() {
    for _ in 0..<300 {
      let session = LoggingSession(configuration: .default)
      let subscriber = Subscriber()
      session.dataTaskPublisher(for: url).subscribe(subscriber)
      let subscription = UncheckedSendable(subscriber.subscription!)
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        if index < 3 {
          subscription.value.request(.max(1))
        } else {
          subscription.value.cancel()
        }
      }
      let log = session.log.values
      let made = log.filter { $0 == .dataTask(URLRequest(url: url)) }.count
      #expect(made <= 1)
      // A made task is cancelled once. It may be cancelled before or after it is resumed.
      #expect(log.filter { $0 == .cancel }.count == made)
      #expect(log.filter { $0 == .resume }.count <= 3)
    }
  }
}

@Suite struct DataTaskPublisherOnTheNetworkTests {

  private let server = LocalServer()

  private let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 20
    return URLSession(configuration: configuration)
  }()

  /// The events of a subscriber that loads a request.
  private func load(_ request: URLRequest) -> [Outcome] {
    let recorder = Recorder(requesting: .max(1))
    session.dataTaskPublisher(for: request).subscribe(recorder.subscriber)
    return recorder.waitForCompletion()
  }

  private func load(_ url: URL) -> [Outcome] {
    load(URLRequest(url: url))
  }

  @Test func loadsABody() {
    #expect(load(server.url("/text")) == [.value("hello", status: 200), .finished])
  }

  @Test func anEmptyBodyIsEmptyData() {
    #expect(load(server.url("/empty")) == [.value("", status: 200), .finished])
  }

  @Test(arguments: [404, 500])
  func aBadStatusIsAValue(status: Int) {
    #expect(load(server.url("/status/\(status)")) == [.value("status \(status)", status: status), .finished])
  }

  @Test func aRefusedConnectionFails() {
    #expect(load(LocalServer.refusingURL()) == [.failure(.cannotConnectToHost)])
  }

  @Test func aTimeoutFails() {
    var request = URLRequest(url: server.url("/silent"))
    request.timeoutInterval = 1
    #expect(load(request) == [.failure(.timedOut)])
    #expect(server.requests.values == ["/silent"])
  }

  @Test func anUnsupportedURLFails() {
    #expect(load(URL(string: "nonsense://127.0.0.1")!) == [.failure(.unsupportedURL)])
  }

  @Test func aConnectionThatBreaksFails() {
    guard case .failure = load(server.url("/broken")).first else {
      Issue.record("a broken connection gave a value")
      return
    }
  }

  @Test func everyRetryMakesARequest() {
    let log = SharedLog<String>()
    let cancellable = session.dataTaskPublisher(for: server.url("/status/503"))
      .tryMap { _ in throw TestError("unavailable") }
      .retry(3)
      .sink(receiveCompletion: { log.append("\($0)") }, receiveValue: {})
    #expect(log.wait(for: 1, seconds: 60) == ["failure(unavailable)"])
    #expect(server.requests.values.count == 4)
    cancellable.cancel()
  }

  @Test func retryStopsWhenTheServerAnswers() {
    let log = SharedLog<String>()
    let cancellable = session.dataTaskPublisher(for: server.url("/flaky"))
      .map { String(decoding: $0.data, as: UTF8.self) }
      .retry(3)
      .sink(receiveCompletion: { log.append("\($0)") }, receiveValue: { log.append($0) })
    #expect(log.wait(for: 2, seconds: 60) == ["hello", "finished"])
    cancellable.cancel()
  }

  @Test func subscribeOnMovesTheRequestButNotTheDelivery() {
    let queue = OperationQueue()
    let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    let log = SharedLog<OperationQueue?>()
    let cancellable = session.dataTaskPublisher(for: server.url("/text"))
      .subscribe(on: DispatchQueue(label: "DataTaskPublisherTests"))
      .sink(receiveCompletion: { _ in log.append(OperationQueue.current) }, receiveValue: { _ in })
    #expect(log.wait(for: 1, seconds: 60).first == queue)
    cancellable.cancel()
    session.finishTasksAndInvalidate()
  }

  @Test func valuesArriveOnTheDelegateQueueOfTheSession() {
    let queue = OperationQueue()
    let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    let log = SharedLog<OperationQueue?>()
    let subscriber = Subscriber(
      onSubscription: { $0.request(.max(1)) },
      onValue: { _ in
        log.append(OperationQueue.current)
        return .none
      },
      onCompletion: { _ in log.append(OperationQueue.current) }
    )
    session.dataTaskPublisher(for: server.url("/text")).subscribe(subscriber)
    let queues = log.wait(for: 2, seconds: 60)
    #expect(queues.count == 2)
    #expect(queues.allSatisfy { $0 === queue })
    session.finishTasksAndInvalidate()
  }

  @Test func aCancelCancelsTheRequest() {
    let recorder = Recorder(requesting: .max(1))
    session.dataTaskPublisher(for: server.url("/silent")).subscribe(recorder.subscriber)
    #expect(server.requests.wait(for: 1) == ["/silent"])
    recorder.subscriber.cancel()
    // All events of the cancelled task arrive before the next task's answer.
    #expect(load(server.url("/text")) == [.value("hello", status: 200), .finished])
    #expect(recorder.outcomes.values.isEmpty)
  }

  @Test func sinkWorksWithTheSharedSession() {
    let log = SharedLog<String>()
    let cancellable = URLSession.shared.dataTaskPublisher(for: server.url("/text"))
      .map { String(decoding: $0.data, as: UTF8.self) }
      .sink(receiveCompletion: { log.append("\($0)") }, receiveValue: { log.append($0) })
    #expect(log.wait(for: 2, seconds: 60) == ["hello", "finished"])
    cancellable.cancel()
  }
}
