import CAllocationCounter
import Dispatch
import Foundation
import OpenCombineShim

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Prints a line for each workload: its name, nanoseconds of processor time for an element (the median of the rounds), and
// allocations for an element. They are separated by tabs.

let rounds = 7

/// Processor time of all threads of this process, in nanoseconds.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Measures a workload, which returns the number of elements that it has received.
func measure(_ name: String, elements: Int, _ run: (Int) -> Int) {
  func runAll() {
    let received = run(elements)
    guard received == elements else {
      print("\(name): \(received) elements instead of \(elements)")
      exit(1)
    }
  }
  runAll()
  var times: [Double] = []
  for _ in 0..<rounds {
    let start = now()
    runAll()
    times.append(now() - start)
  }
  allocation_counter_start()
  runAll()
  let allocations = allocation_counter_stop().count
  let median = times.sorted()[rounds / 2] / Double(elements)
  print("\(name)\t\(String(format: "%.0f\t%.2f", median, Double(allocations) / Double(elements)))")
}

/// Answers each request with one byte.
final class Server: URLProtocol {

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    let response = URLResponse(url: request.url!, mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data([1]))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}

final class Model: ObservableObject {
  @Published var count = 0
}

func isEven(_ number: Int) -> Result<Int, URLError> {
  number % 2 == 0 ? .success(number) : .failure(URLError(.unknown))
}

measure("@Published → map → removeDuplicates → sink", elements: 100_000) { count in
  let model = Model()
  var received = -1  // The sink also receives the first value.
  let sink = model.$count.map { $0 &* 2 }.removeDuplicates().sink { _ in received += 1 }
  for number in 1...count { model.count = number }
  sink.cancel()
  return received
}
measure("two subjects → zip → sink", elements: 100_000) { count in
  let first = PassthroughSubject<Int, Never>()
  let second = PassthroughSubject<Int, Never>()
  var received = 0
  let sink = first.zip(second).sink { _ in received += 1 }
  for number in 1...count {
    first.send(number)
    second.send(number)
  }
  sink.cancel()
  return received
}
measure("subject → flatMap to .ocombine.publisher of an optional → sink", elements: 100_000) { count in
  let subject = PassthroughSubject<Int, Never>()
  var received = 0
  let sink = subject.flatMap { Optional($0).ocombine.publisher }.sink { _ in received += 1 }
  for number in 1...count { subject.send(number) }
  sink.cancel()
  return received
}
measure("result.ocombine.publisher → replaceError → sink, a subscription", elements: 100_000) { count in
  var received = 0
  for number in 1...count {
    let sink = isEven(number).ocombine.publisher.map { $0 + 1 }.replaceError(with: 0).sink { _ in received += 1 }
    sink.cancel()
  }
  return received
}
measure("center.ocombine.publisher → map → sink", elements: 20_000) { count in
  let center = NotificationCenter()
  let name = Notification.Name("saved")
  var received = 0
  let sink = center.ocombine.publisher(for: name).map { $0.name }.sink { _ in received += 1 }
  for _ in 1...count { center.post(name: name, object: nil) }
  sink.cancel()
  return received
}
measure("subject → receive(on: queue.ocombine) → sink", elements: 50_000) { count in
  let queue = DispatchQueue(label: "elements")
  let subject = PassthroughSubject<Int, Never>()
  var received = 0
  let sink = subject.receive(on: queue.ocombine).sink { _ in received += 1 }
  // The queue starts when all are sent, so the cost of waking a thread is not part of it.
  queue.suspend()
  for number in 1...count { subject.send(number) }
  queue.resume()
  queue.sync {}
  sink.cancel()
  return received
}
measure("subject → receive(on: operationQueue.ocombine) → sink", elements: 2_000) { count in
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = 1
  let subject = PassthroughSubject<Int, Never>()
  var received = 0
  let sink = subject.receive(on: queue.ocombine).sink { _ in received += 1 }
  for number in 1...count { subject.send(number) }
  queue.waitUntilAllOperationsAreFinished()
  sink.cancel()
  return received
}
measure("subject → receive(on: runLoop.ocombine) → sink", elements: 10_000) { count in
  let subject = PassthroughSubject<Int, Never>()
  var received = 0
  let sink = subject.receive(on: RunLoop.main.ocombine).sink { _ in received += 1 }
  for number in 1...count { subject.send(number) }
  // The loop does not return after an action, only at the date.
  while received < count { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001)) }
  sink.cancel()
  return received
}
measure("session.ocombine.dataTaskPublisher → map → sink, a request", elements: 500) { count in
  let configuration = URLSessionConfiguration.ephemeral
  configuration.protocolClasses = [Server.self]
  let session = URLSession(configuration: configuration)
  let done = DispatchSemaphore(value: 0)
  var received = 0
  for _ in 1...count {
    let sink = session.ocombine.dataTaskPublisher(for: URL(string: "server:/")!)
      .map { $0.data.count }
      .replaceError(with: 0)
      .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { received += $0 })
    done.wait()
    sink.cancel()
  }
  return received
}
