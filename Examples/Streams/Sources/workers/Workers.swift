import CombineJetStream
import Foundation
import Processes

/// Work that is spread over processes: all use the same durable consumer, so each message goes to one of them. One process
/// is killed in the middle. What it had not acknowledged goes to the others.
///
///     nats-server -js &
///     swift run --package-path Examples/Streams workers nats://127.0.0.1:4222
@main
struct Workers {

  static let stream = "WORK"
  static let consumer = "workers"
  static let count = 4000

  static func main() async throws {
    let arguments = CommandLine.arguments
    let url = arguments.count > 1 ? arguments[1] : "nats://127.0.0.1:4222"
    let jetStream = try await JetStream.connect(.init(servers: [url]))
    if arguments.count > 2 { return try await work(jetStream, Log(arguments[2]), window: 32) }

    try await prepare(jetStream)
    for workerCount in 1...3 {
      let (seconds, numbers) = try await run(jetStream, url, workerCount)
      let rate = Int(Double(count) / seconds)
      say("\(workerCount) workers: \(rate) messages a second, \(numbers.count - Set(numbers).count) of them twice")
      check(Set(numbers).count == count, "\(count - Set(numbers).count) messages were lost")
    }
    let (_, numbers) = try await run(jetStream, url, 3, killingOne: true)
    let lost = count - Set(numbers).count
    say("3 workers, one killed in the middle: \(lost) lost, \(numbers.count - Set(numbers).count) twice")
    check(lost == 0, "messages were lost")
    try await jetStream.deleteStream(stream)
    await jetStream.close()
  }

  /// A worker: each message takes a millisecond, is written down, and is acknowledged.
  static func work(_ jetStream: JetStream, _ log: Log, window: Int) async throws {
    let messages = jetStream.messages(stream: stream, consumer: consumer, window: window)
    for try await number in messages.map({ String(decoding: $0.payload, as: UTF8.self) }).handleEvents(
      receiveOutput: { number in
        usleep(1000)
        log.append(number)
      }
    ).values {
      _ = number
    }
  }

  static func prepare(_ jetStream: JetStream) async throws {
    try await jetStream.addStream(StreamConfiguration(name: stream, subjects: ["work"]))
    var configuration = ConsumerConfiguration(durable: consumer)
    // Longer than the messages of a window take together.
    configuration.acknowledgementWait = .seconds(2)
    try await jetStream.addConsumer(configuration, to: stream)
  }

  /// Stores messages, starts workers, and waits until all is done.
  static func run(
    _ jetStream: JetStream,
    _ url: String,
    _ workerCount: Int,
    killingOne: Bool = false
  ) async throws -> (seconds: Double, numbers: [String]) {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("workers-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: log) }
    let run = UUID().uuidString
    let stored = (0..<count).publisher
      .map { OutgoingMessage(Array("\($0)".utf8), to: "work", id: "\(run)-\($0)") }
      .publish(to: jetStream)
    for try await _ in stored.values {}

    var workers: [Copy] = []
    for _ in 0..<workerCount { workers.append(try Copy([url, log])) }
    defer { for worker in workers { worker.kill() } }
    while Log(log).lines.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    let start = ContinuousClock.now
    if killingOne {
      while Log(log).lines.count < count / 2 { try await Task.sleep(for: .milliseconds(5)) }
      workers.removeFirst().kill()
    }
    while true {
      let info = try await jetStream.consumerInfo(consumer, of: stream)
      if info.pendingCount == 0, info.unacknowledgedCount == 0 { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    let time = ContinuousClock.now - start
    return (Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18, Log(log).lines)
  }
}
