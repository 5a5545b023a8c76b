import Dispatch
import Foundation
import Models
import OpenCombineShim

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A program in the style of the known users of OpenCombine. Each scene uses other wrappers.
struct Scenes {

  let transcript = Transcript()

  /// Plays a scene until it has written its lines, and prints them.
  ///
  /// They are sorted if several subscribers write at once: OpenCombine calls those of a subject in an order that changes from
  /// run to run.
  func play(_ name: String, lines: Int, sorted: Bool = false, _ scene: (Transcript) -> [AnyCancellable]) {
    let cancellables = scene(transcript)
    transcript.wait(for: lines, in: name)
    for cancellable in cancellables { cancellable.cancel() }
    transcript.print(name, sorted: sorted)
  }

  func playAll() {
    models()
    requests()
    timers()
    notifications()
    schedulers()
    timing()
    values()
    ownTypes()
    coding()
  }
}

// MARK: View models

extension Scenes {

  private func models() {
    let search = SearchModel(catalogue: Catalogue(session: CatalogueServer.session))
    play("search", lines: 5) { transcript in
      let sinks = [
        search.$isSearching.removeDuplicates().sink { transcript.append($0 ? "searches" : "idle") },
        search.$titles.dropFirst().sink { transcript.append("\($0)") },
        search.objectWillChange.first().sink { transcript.append("changes") },
      ]
      for text in ["S", "Sw", "Swift"] { search.query = text }
      return sinks
    }
    play("search offline", lines: 1) { transcript in
      let sink = search.$titles.dropFirst().sink { transcript.append("\($0)") }
      search.query = "offline"
      return [sink]
    }

    play("form", lines: 6) { transcript in
      let form = Form()
      let sink = form.$isComplete.sink { transcript.append($0 ? "complete" : "incomplete") }
      form.name = "Ada"
      form.age = "36"
      form.name = nil
      form.age = "x"
      let errors = form.parsedAge.ocombine.publisher
        .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { transcript.append("\($0)") })
      form.age = "37"
      let values = form.parsedAge.ocombine.publisher
        .map { $0 + 1 }
        .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { transcript.append("\($0)") })
      return [sink, errors, values]
    }
  }
}

// MARK: Foundation

extension Scenes {

  private func requests() {
    let catalogue = Catalogue(session: CatalogueServer.session)
    play("data task", lines: 2) { transcript in
      [
        catalogue.add("Actors")
          .map { String(decoding: $0.data, as: UTF8.self) + " at " + ($0.response.url?.absoluteString ?? "") }
          .receive(on: OperationQueue.main.ocombine)
          .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { transcript.append($0) })
      ]
    }
    play("failing data task", lines: 1) { transcript in
      let url = URL(string: "catalogue://titles/search?query=offline")!
      let publisher = URLSession.OCombine.DataTaskPublisher(
        request: URLRequest(url: url),
        session: CatalogueServer.session
      )
      return [
        publisher
          .mapError { (error: URLError) in error.code == .notConnectedToInternet ? "offline" : "other" as NamedError }
          .retry(2)
          .receive(on: RunLoop.main.ocombine)
          .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { _ in transcript.append("data") })
      ]
    }
    play("concurrent data tasks", lines: 1) { transcript in
      [
        ["swift", "monads", "streams"].publisher
          .setFailureType(to: Error.self)
          .flatMap(maxPublishers: .max(2)) { catalogue.titles(matching: $0) }
          .map { $0.count }
          .reduce(0, +)
          .receive(on: RunLoop.main.ocombine)
          .sink(receiveCompletion: { _ in }, receiveValue: { transcript.append("\($0) titles") })
      ]
    }
  }

  private func timers() {
    let clock = Clock()
    play("clock", lines: 4) { transcript in
      let sink = clock.$ticks.prefix(4).sink { transcript.append("\($0)") }
      clock.start(every: 0.005)
      return [sink]
    }
    clock.stop()
    play("timer", lines: 4) { transcript in
      [
        Timer.publish(every: 0.005, on: .main, in: .common)
          .autoconnect()
          .scan(0) { count, _ in count + 1 }
          .prefix(3)
          .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { transcript.append("tick \($0)") })
      ]
    }
  }

  private func notifications() {
    let center = NotificationCenter()
    let name = Notification.Name("saved")
    play("notifications", lines: 5, sorted: true) { transcript in
      let document = NSObject()
      let all: NotificationCenter.OCombine.Publisher = center.ocombine.publisher(for: name)
      let sinks = [
        all.compactMap { $0.userInfo?["title"] as? String }.sink { transcript.append("any: \($0)") },
        center.ocombine.publisher(for: name, object: document).sink { _ in transcript.append("the document") },
      ]
      center.post(name: name, object: document, userInfo: ["title": "first"])
      sinks[1].cancel()
      center.post(name: name, object: nil, userInfo: ["title": "second"])
      center.post(name: name, object: document, userInfo: ["title": "third"])
      transcript.append(
        all == NotificationCenter.OCombine.Publisher(center: center, name: name) ? "equal" : "different"
      )
      return sinks
    }
  }
}

// MARK: Schedulers

extension Scenes {

  private func schedulers() {
    let queue = DispatchQueue(label: "work")
    queue.setSpecific(key: Self.queueName, value: "work")
    let operations = OperationQueue()
    operations.maxConcurrentOperationCount = 1

    use(queue.ocombine, "queue", pause: .milliseconds(5)) { DispatchQueue.getSpecific(key: Self.queueName) == "work" }
    use(operations.ocombine, "operations", pause: .milliseconds(5)) { OperationQueue.current === operations }
    use(RunLoop.main.ocombine, "run loop", pause: .milliseconds(5)) { RunLoop.current === RunLoop.main }

    play("options", lines: 2) { transcript in
      let group = DispatchGroup()
      let options = DispatchQueue.OCombine.SchedulerOptions(qos: .utility, flags: .barrier, group: group)
      DispatchQueue.OCombine(queue).schedule(options: options) { transcript.append("in the group") }
      group.wait()
      transcript.append("after the group")
      return []
    }
    play("times", lines: 4) { transcript in
      typealias Stride = DispatchQueue.OCombine.SchedulerTimeType.Stride
      let time = DispatchQueue.OCombine.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1_000))
      transcript.append("\(time.advanced(by: .microseconds(2)).dispatchTime.uptimeNanoseconds)")
      transcript.append("\(time.distance(to: time.advanced(by: Stride(.milliseconds(3)))).magnitude)")
      transcript.append("\((Stride.seconds(1) + .milliseconds(1)).timeInterval)")
      let date = RunLoop.OCombine.SchedulerTimeType(Date(timeIntervalSinceReferenceDate: 10))
      let later = OperationQueue.OCombine.SchedulerTimeType(date.advanced(by: 1.5).date)
      transcript.append("\(later.date.timeIntervalSinceReferenceDate)")
      return []
    }
  }

  private static let queueName = DispatchSpecificKey<String>()

  /// Uses the three methods of a scheduler, and operators on it.
  private func use<S: Scheduler>(
    _ scheduler: S,
    _ name: String,
    pause: S.SchedulerTimeType.Stride,
    isOnScheduler: @escaping () -> Bool
  ) {
    play(name, lines: 9) { transcript in
      let place = { isOnScheduler() ? "on it" : "elsewhere" }
      let start = scheduler.now
      scheduler.schedule { transcript.append("at once, \(place())") }
      transcript.wait(for: 1, in: name)
      scheduler.schedule(after: start.advanced(by: pause)) {
        transcript.append("later, \(place())")
      }
      transcript.wait(for: 2, in: name)
      let runs = Counter()
      var repetition: Cancellable?
      repetition = scheduler.schedule(after: scheduler.now, interval: pause, tolerance: scheduler.minimumTolerance) {
        if runs.next() <= 3 { transcript.append("again, \(place())") }
      }
      transcript.wait(for: 5, in: name)
      repetition?.cancel()
      let sink = ["a", "b", "c"].publisher
        .subscribe(on: scheduler)
        .delay(for: pause, scheduler: scheduler)
        .receive(on: scheduler)
        .sink(
          receiveCompletion: { transcript.append("\($0)") },
          receiveValue: { transcript.append("\($0), \(place())") }
        )
      return [sink]
    }
  }

  private func timing() {
    let queue = DispatchQueue(label: "timing")
    play("timeout", lines: 1) { transcript in
      [
        Empty<Int, NamedError>(completeImmediately: false)
          .timeout(.milliseconds(5), scheduler: queue.ocombine, customError: { "late" })
          .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { _ in })
      ]
    }
    play("measureInterval", lines: 1) { transcript in
      let subject = PassthroughSubject<Void, Never>()
      let sink =
        subject
        .measureInterval(using: queue.ocombine)
        .sink { transcript.append($0 >= .zero ? "an interval" : "a negative interval") }
      subject.send()
      return [sink]
    }
  }
}

// MARK: Without Foundation

extension Scenes {

  private func values() {
    play("optional", lines: 5) { transcript in
      let none: Int? = nil
      return [
        Optional(4).ocombine.publisher.map { $0 * 2 }.sink { transcript.append("\($0)") },
        Optional<Int>.OCombine.Publisher(5).sink { transcript.append("\($0)") },
        none.ocombine.publisher
          .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { transcript.append("\($0)") }),
        none.ocombine.publisher.replaceEmpty(with: 6).sink { transcript.append("\($0)") },
        Optional(7).publisher.count().sink { transcript.append("\($0)") },
      ]
    }
    play("subjects", lines: 9, sorted: true) { transcript in
      let numbers = PassthroughSubject<Int, NamedError>()
      let words = CurrentValueSubject<String, NamedError>("a")
      let shared = numbers.map { $0 * 10 }.share()
      var log = ""
      let sinks = [
        shared.sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { transcript.append("\($0)") }),
        numbers.zip(words)
          .print("zip", to: Log { log += $0 })
          .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { transcript.append("\($0)") }),
        shared.tryMap { value -> Int in
          guard value < 20 else { throw NamedError(stringLiteral: "large") }
          return value
        }
        .catch { _ in Just(0) }
        .sink { transcript.append("caught \($0)") },
      ]
      numbers.send(1)
      words.send("b")
      numbers.send(2)
      numbers.send(completion: .failure("over"))
      // OpenCombine also prints a line for a demand of zero that a subscriber returns.
      let lines = log.split(separator: "\n").filter { !$0.contains("request max: (0)") }
      transcript.append("log: \(lines.joined(separator: "; "))")
      return sinks
    }
  }

  /// A subscriber, a publisher and a subscription of the client.
  private func ownTypes() {
    play("own types", lines: 6) { transcript in
      let subscriber = OneByOne(transcript: transcript)
      Countdown(from: 3).map { "\($0)!" }.subscribe(subscriber)
      let erased = Countdown(from: 2).eraseToAnyPublisher()
      let multicast = erased.multicast(subject: PassthroughSubject())
      let sink = multicast.collect().sink { transcript.append("\($0)") }
      let connection = multicast.connect()
      transcript.append("connected")
      return [sink, AnyCancellable(connection)]
    }
  }

  private func coding() {
    play("coding", lines: 3) { transcript in
      let properties = PropertyListEncoder()
      properties.outputFormat = .xml
      return [
        Just(["a": 1])
          .encode(encoder: JSONEncoder())
          .decode(type: [String: Int].self, decoder: JSONDecoder())
          .sink(receiveCompletion: { transcript.append("\($0)") }, receiveValue: { transcript.append("\($0)") }),
        Just(["b"])
          .encode(encoder: properties)
          .decode(type: [String].self, decoder: PropertyListDecoder())
          .replaceError(with: [])
          .sink { transcript.append("\($0)") },
      ]
    }
  }
}
