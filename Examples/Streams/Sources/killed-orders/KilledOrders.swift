import CombineJetStream
import Foundation
import Processes

/// Kills the program of the guide in the middle of its work, starts it again, and looks at its results: nothing is lost,
/// and nothing is there twice. Then it asks the program to end.
///
///     killed-orders nats://127.0.0.1:4222 PATH-OF-ORDERS
@main
struct KilledOrders {

  static let count = 5000

  struct Price: Decodable {
    var order: Int
    var total: Int
  }

  static func main() async throws {
    let (url, program) = (CommandLine.arguments[1], CommandLine.arguments[2])
    let environment = ["NATS_URL": url]
    let jetStream = try await JetStream.connect(.init(servers: [url]))

    let first = try Copy(of: program, [], environment)
    let sender = try Copy(of: program, ["\(count)"], environment)
    try await wait(for: jetStream, "PRICES", count / 5)
    first.kill()
    let early = try await jetStream.streamInfo("PRICES").messageCount
    check(early < count, "the program was killed too late to show anything")

    let second = try Copy(of: program, [], environment)
    try await wait(for: jetStream, "PRICES", count)
    // What the killed one had in work comes again after a time. It must be no second result.
    while true {
      let info = try await jetStream.consumerInfo("pricing", of: "ORDERS")
      if info.pendingCount == 0, info.unacknowledgedCount == 0 { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    check(sender.awaitEnd() == 0, "the program that sends has failed")
    check(second.terminate() == 0, "the program has not ended well")

    let stored = Int(try await jetStream.streamInfo("PRICES").messageCount)
    var prices: [Int: Int] = [:]
    for try await message in jetStream.orderedMessages(stream: "PRICES").prefix(stored).values {
      let price = try JSONDecoder().decode(Price.self, from: Data(message.payload))
      check(price.total == price.order % 10 * 119, "a price is wrong")
      prices[price.order, default: 0] += 1
    }
    let lost = (0..<count).filter { prices[$0] == nil }.count
    let letters = try await jetStream.streamInfo("DEAD").messageCount
    let twice = stored - prices.count
    say("killed after \(early) of \(count) orders: \(lost) lost, \(twice) twice, \(letters) dead letters")
    check(lost == 0, "results were lost")
    check(stored == count, "results are there twice")
    check(letters == 0, "there are dead letters")
    await jetStream.close()
  }

  static func wait(for jetStream: JetStream, _ stream: String, _ count: Int) async throws {
    while true {
      // The program makes the stream.
      if let info = try? await jetStream.streamInfo(stream), info.messageCount >= count { return }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
