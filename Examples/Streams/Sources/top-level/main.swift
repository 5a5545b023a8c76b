import CombineJetStream
import Foundation
import Synchronization

// Statements at the top level belong to the main actor. The closures here do not, although they look as if they did: the sinks
// of pipelines of streams take `@Sendable` closures. With others, the first message would end the program.
//
//     nats-server -js &
//     swift run --package-path Examples/Streams top-level nats://127.0.0.1:4222

let seen = Mutex<Set<String>>([])

let jetStream = try await JetStream.connect(.init(servers: [CommandLine.arguments[1]]))
let states = jetStream.connectionState.sink { state in seen.withLock { _ = $0.insert("\(state)") } }
try await jetStream.addStream(StreamConfiguration(name: "NUMBERS", subjects: ["numbers", "squares"]))
for name in ["printer", "decoder", "worker"] {
  var consumer = ConsumerConfiguration(durable: name)
  consumer.filterSubject = "numbers"
  try await jetStream.addConsumer(consumer, to: "NUMBERS")
}
let bucket = try await jetStream.addKeyValueStore(KeyValueConfiguration(bucket: "numbers"))

let subscriptions = [
  jetStream.messages(stream: "NUMBERS", consumer: "printer")
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in seen.withLock { _ = $0.insert("message") } }),
  jetStream.messages(stream: "NUMBERS", consumer: "decoder")
    .decodeValues(Int.self, decoder: JSONDecoder())
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in seen.withLock { _ = $0.insert("value") } }),
  jetStream.messages(stream: "NUMBERS", consumer: "worker")
    .process { OutgoingMessage($0.payload, to: "squares") }
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in seen.withLock { _ = $0.insert("outcome") } }),
  jetStream.orderedMessages(stream: "NUMBERS", filterSubject: "squares")
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in seen.withLock { _ = $0.insert("result") } }),
  bucket.watch()
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in seen.withLock { _ = $0.insert("entry") } }),
  (0..<10).publisher
    .publish(to: jetStream, subject: "numbers", encoder: JSONEncoder()) { "number-\($0)" }
    .sink(receiveCompletion: { _ in }, receiveValue: { _ in seen.withLock { _ = $0.insert("acknowledgement") } }),
]
try await bucket.put([1], for: "one")

let all: Set = ["connected", "message", "value", "outcome", "result", "entry", "acknowledgement"]
while seen.withLock({ !all.isSubset(of: $0) }) { try await Task.sleep(for: .milliseconds(5)) }
await jetStream.close()
while seen.withLock({ !$0.contains("closed") }) { try await Task.sleep(for: .milliseconds(5)) }
print("all closures at the top level were called: \(seen.withLock { $0.sorted().joined(separator: ", ") })")
withExtendedLifetime((states, subscriptions)) {}
