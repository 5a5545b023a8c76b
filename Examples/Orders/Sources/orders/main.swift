import CombineJetStream
import Foundation
import Logging
import ServiceLifecycle

struct Order: Codable {
  var number: Int
  var amount: Int
}

struct Price: Codable {
  var order: Int
  var total: Int
}

let server = ProcessInfo.processInfo.environment["NATS_URL"] ?? "nats://127.0.0.1:4222"
let jetStream = try await JetStream.connect(JetStream.Configuration(servers: [server]))
let states = jetStream.connectionState.sink { print("connection:", $0) }

// These stay at the server. Adding them again changes nothing.
try await jetStream.addStream(StreamConfiguration(name: "ORDERS", subjects: ["orders.>"]))
try await jetStream.addStream(StreamConfiguration(name: "PRICES", subjects: ["prices.>"]))
try await jetStream.addStream(StreamConfiguration(name: "DEAD", subjects: ["dead.>"]))
var pricing = ConsumerConfiguration(durable: "pricing")
pricing.acknowledgementWait = .seconds(5)
try await jetStream.addConsumer(pricing, to: "ORDERS")

if let argument = CommandLine.arguments.dropFirst().first, let count = Int(argument) {
  // Stores orders. The ids are those of the orders, so that a second run stores none of them again.
  for number in 0..<count {
    let order = try JSONEncoder().encode(Order(number: number, amount: number % 10))
    _ = try await jetStream.publish(Array(order), to: "orders.new", id: "order-\(number)").value
  }
  await jetStream.close()
} else {
  // Works on orders until the process is asked to end.
  let service = JetStreamService(jetStream) { jetStream in
    jetStream.messages(stream: "ORDERS", consumer: "pricing")
      .process(maxConcurrent: 8, failures: FailurePolicy(attempts: 20, deadLetters: "dead.orders")) { message in
        let order = try JSONDecoder().decode(Order.self, from: Data(message.payload))
        let price = Price(order: order.number, total: order.amount * 119)
        return OutgoingMessage(Array(try JSONEncoder().encode(price)), to: "prices.new")
      }
  }
  let logger = Logger(label: "orders")
  try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger).run()
}
