import CombineJetStream
import Foundation
import GRDB
import Processes

/// Effects that happen once, although messages may come twice: the transaction of an effect also writes down the identity
/// of the message. A message whose identity is there already has no effect.
///
///     nats-server -js &
///     swift run --package-path Examples/Streams effects-once nats://127.0.0.1:4222
///
/// Each message is a deposit of one coin. The process that books them is killed again and again.
@main
struct EffectsOnce {

  static let stream = "DEPOSITS"
  static let consumer = "bank"
  static let count = 5000
  static let kills = 12

  static func main() async throws {
    let arguments = CommandLine.arguments
    let url = arguments.count > 1 ? arguments[1] : "nats://127.0.0.1:4222"
    let jetStream = try await JetStream.connect(.init(servers: [url]))
    if arguments.count > 2 { return try await book(jetStream, try Bank(arguments[2])) }

    try await prepare(jetStream)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("bank-\(UUID().uuidString).sqlite").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) } }
    let bank = try Bank(file)
    for _ in 0..<kills {
      let process = try Copy([url, file])
      try await Task.sleep(for: .milliseconds(Int.random(in: 150...400)))
      process.kill()
    }
    let last = try Copy([url, file])
    while true {
      let info = try await jetStream.consumerInfo(consumer, of: stream)
      if info.pendingCount == 0, info.unacknowledgedCount == 0 { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    last.kill()
    let (balance, repeats) = try bank.result()
    say("\(kills) kills, \(count) deposits: the balance is \(balance), \(repeats) repeats had no effect")
    check(balance == count, "the balance is wrong")
    try await jetStream.deleteStream(stream)
    await jetStream.close()
  }

  static func prepare(_ jetStream: JetStream) async throws {
    try await jetStream.addStream(StreamConfiguration(name: stream, subjects: ["deposits"]))
    var configuration = ConsumerConfiguration(durable: consumer)
    configuration.acknowledgementWait = .seconds(1)
    try await jetStream.addConsumer(configuration, to: stream)
    let stored = (0..<count).publisher
      .map { OutgoingMessage([UInt8($0 & 255)], to: "deposits", id: "deposit-\($0)") }
      .publish(to: jetStream)
    for try await _ in stored.values {}
  }

  /// Books deposits until the process is killed. A message is acknowledged when its transaction was committed.
  ///
  /// Up to 64 transactions wait for the database. It is also the demand, so no more messages come.
  static func book(_ jetStream: JetStream, _ bank: Bank) async throws {
    let booked = jetStream.messages(stream: stream, consumer: consumer, window: 64, acknowledgement: .manual)
      .mapError { $0 as any Error }
      .flatMap(maxPublishers: .max(64)) { message in
        bank.deposit(1, by: message.identity).map { message.acknowledge() }
      }
    for try await _ in booked.values {}
  }
}

/// An account in a SQLite file, with the identities of the messages that were booked.
struct Bank: Sendable {

  private let database: DatabasePool
  private let results = DispatchQueue(label: "effects-once.results")

  init(_ file: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    database = try DatabasePool(path: file, configuration: configuration)
    try database.write { database in
      try database.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS booked (message TEXT PRIMARY KEY);
          CREATE TABLE IF NOT EXISTS account (name TEXT PRIMARY KEY, amount INTEGER NOT NULL);
          INSERT OR IGNORE INTO account VALUES ('balance', 0), ('repeats', 0);
          """
      )
    }
  }

  /// Returns a publisher that adds coins, unless this message was booked before. It finishes after the commit.
  ///
  /// Coins and identity are in one transaction, so a process that is killed leaves both or neither.
  func deposit(_ coins: Int, by message: String) -> some Publisher<Void, any Error> {
    database.writePublisher(receiveOn: results) { database in
      try database.execute(sql: "INSERT OR IGNORE INTO booked VALUES (?)", arguments: [message])
      let isNew = database.changesCount == 1
      try database.execute(
        sql: "UPDATE account SET amount = amount + ? WHERE name = ?",
        arguments: isNew ? [coins, "balance"] : [1, "repeats"]
      )
    }
  }

  func result() throws -> (balance: Int, repeats: Int) {
    try database.read { database in
      func amount(_ name: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT amount FROM account WHERE name = ?", arguments: [name]) ?? 0
      }
      return (try amount("balance"), try amount("repeats"))
    }
  }
}
