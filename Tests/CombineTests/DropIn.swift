// Code as it is written for Apple's Combine, with these two imports only.
import Combine
import Foundation

/// The results of pipelines of all kinds, in code that does not refer to this package.
enum DropIn {

  final class Model: ObservableObject {
    @Published var name = "a"
    @Published var count = 0
  }

  final class Label {
    var text = ""
  }

  struct Refused: Error {}

  /// Texts that the standard library makes of types of Combine.
  static func namesOfTypes() -> [String] {
    [
      String(reflecting: Just<Int>.self), "\(AnyCancellable {})", "\(PassthroughSubject<String, Never>())",
      String(reflecting: Just(1)),
      "\(Publishers.Map<Just<Int>, Refused>.self)", "\(Just(1))",
    ]
  }

  /// A list of values that arrive on other threads, which a test can wait for.
  final class Mailbox<Value>: @unchecked Sendable {

    private let condition = NSCondition()
    private var values: [Value] = []

    func put(_ value: Value) {
      condition.withLock {
        values.append(value)
        condition.signal()
      }
    }

    func take(_ count: Int, seconds: TimeInterval = 60) -> [Value] {
      let deadline = Date() + seconds
      return condition.withLock {
        while values.count < count, condition.wait(until: deadline) {}
        return values
      }
    }
  }

  static func subjects() -> [String] {
    var log: [String] = []
    var subscriptions = Set<AnyCancellable>()
    let passthrough = PassthroughSubject<Int, Error>()
    let current = CurrentValueSubject<Int, Never>(1)
    passthrough
      .tryMap { number -> Int in
        if number < 0 { throw Refused() }
        return number * 2
      }
      .sink(
        receiveCompletion: { log.append(String(describing: $0)) },
        receiveValue: { log.append("passthrough \($0)") }
      )
      .store(in: &subscriptions)
    current
      .map { "current \($0)" }
      .sink { log.append($0) }
      .store(in: &subscriptions)
    passthrough.send(1)
    current.value = 2
    passthrough.send(-1)
    passthrough.send(2)
    return log
  }

  static func publishedModel() -> (names: [String], label: String, changes: Int) {
    var names: [String] = []
    var changes = 0
    let label = Label()
    let model = Model()
    var subscriptions: Set<AnyCancellable> = []
    model.$name.sink { names.append($0) }.store(in: &subscriptions)
    model.$count.map { "count \($0)" }.assign(to: \.text, on: label).store(in: &subscriptions)
    model.objectWillChange.sink { changes += 1 }.store(in: &subscriptions)
    model.name = "b"
    model.count = 7
    return (names, label.text, changes)
  }

  static func notification() -> [String] {
    var log: [String] = []
    let name = Notification.Name("DropIn")
    let cancellable = NotificationCenter.default.publisher(for: name)
      .map { $0.userInfo?["key"] as? String ?? "none" }
      .sink { log.append($0) }
    NotificationCenter.default.post(name: name, object: nil, userInfo: ["key": "value"])
    cancellable.cancel()
    NotificationCenter.default.post(name: name, object: nil)
    return log
  }

  static func requestThatIsRefused() -> URLError.Code? {
    let mailbox = Mailbox<URLError.Code?>()
    let cancellable = URLSession.shared.dataTaskPublisher(for: URL(string: "http://127.0.0.1:1/")!)
      .map(\.data.count)
      .sink(
        receiveCompletion: { completion in
          if case .failure(let error) = completion { mailbox.put(error.code) } else { mailbox.put(nil) }
        },
        receiveValue: { _ in }
      )
    defer { cancellable.cancel() }
    return mailbox.take(1).first ?? nil
  }

  static func timerOnARunLoop() -> [Date] {
    let mailbox = Mailbox<[Date]>()
    Thread {
      var dates: [Date] = []
      let timer = Timer.publish(every: 0.01, on: .current, in: .default)
      let subscription = timer.sink { dates.append($0) }
      let connection = timer.connect()
      let deadline = Date() + 60
      while dates.count < 3, Date() < deadline { _ = RunLoop.current.run(mode: .default, before: Date() + 0.01) }
      connection.cancel()
      subscription.cancel()
      mailbox.put(dates)
    }.start()
    return mailbox.take(1).first ?? []
  }

  static func schedulers() -> [String] {
    let mailbox = Mailbox<String>()
    let queue = DispatchQueue(label: "DropIn")
    let operations = OperationQueue()
    operations.maxConcurrentOperationCount = 1
    queue.schedule { mailbox.put("queue") }
    _ = mailbox.take(1)
    operations.schedule(after: operations.now.advanced(by: .milliseconds(5))) { mailbox.put("operations") }
    _ = mailbox.take(2)
    let token = queue.schedule(after: queue.now.advanced(by: .milliseconds(1)), interval: .seconds(60)) {
      mailbox.put("repeated")
    }
    _ = mailbox.take(3)
    token.cancel()
    Thread {
      var isDone = false
      RunLoop.current.schedule {
        mailbox.put("loop")
        isDone = true
      }
      let deadline = Date() + 60
      while !isDone, Date() < deadline { _ = RunLoop.current.run(mode: .default, before: Date() + 0.01) }
    }.start()
    return mailbox.take(4)
  }

  static func coders() throws -> [String: Int] {
    func roundTrip<E: TopLevelEncoder, D: TopLevelDecoder>(_ encoder: E, _ decoder: D) throws -> [String: Int]
    where E.Output == D.Input {
      try decoder.decode([String: Int].self, from: try encoder.encode(["a": 1]))
    }
    return try roundTrip(JSONEncoder(), JSONDecoder()).merging(
      try roundTrip(PropertyListEncoder(), PropertyListDecoder())
    ) { $0 + $1 }
  }
}
