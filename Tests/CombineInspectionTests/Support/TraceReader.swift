import Foundation

/// A reader of the Trace Event format that rejects what a viewer would drop or misplace.
struct TraceReader {

  struct Rejected: Error {
    let text: String
  }

  private(set) var process: String?

  /// The names of the tracks by their numbers.
  private(set) var tracks: [Int: String] = [:]
  private(set) var sliceCount = 0
  private(set) var flowCount = 0
  private(set) var lifetimeCount = 0
  private(set) var counters: Set<String> = []

  private struct File: Decodable {
    let traceEvents: [Event]
  }

  private struct Event: Decodable {
    let ph: String
    let name: String
    let cat: String?
    let ts: Double?
    let pid: Int
    let tid: Int?
    let id: String?
    let bp: String?
    let args: [String: Argument]?
  }

  private enum Argument: Decodable {
    case text(String)
    case number(Double)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }
  }

  init(_ data: Data) throws {
    let events: [Event]
    do {
      events = try JSONDecoder().decode(File.self, from: data).traceEvents
    } catch {
      throw Rejected(text: "\(error)")
    }
    var open: [Int: [Event]] = [:]
    var flows: [String: Event] = [:]
    var lives: Set<String> = []
    var last: [Int: Double] = [:]
    for event in events where event.ph != "M" {
      guard let time = event.ts, time >= 0, let track = event.tid else { throw Rejected(text: "no time: \(event)") }
      switch event.ph {
      case "B":
        guard time >= last[track, default: 0] else { throw Rejected(text: "goes back in time: \(event)") }
        last[track] = time
        open[track, default: []].append(event)
        sliceCount += 1
      case "E":
        guard let start = open[track]?.popLast(), start.name == event.name, start.ts! <= time else {
          throw Rejected(text: "ends what has not begun: \(event)")
        }
        last[track] = time
      case "s":
        guard let id = event.id, flows.updateValue(event, forKey: id) == nil else {
          throw Rejected(text: "a second start: \(event)")
        }
      case "f":
        guard let id = event.id, let start = flows.removeValue(forKey: id), start.ts! <= time, event.bp == "e",
          open[track]?.isEmpty == false
        else { throw Rejected(text: "an arrow to nowhere: \(event)") }
        flowCount += 1
      case "b":
        guard let id = event.id, lives.insert(id).inserted else { throw Rejected(text: "begins twice: \(event)") }
        lifetimeCount += 1
      case "e":
        guard let id = event.id, lives.remove(id) != nil else { throw Rejected(text: "ends twice: \(event)") }
      case "C":
        guard case .number(let value) = event.args?["outstanding"], value >= 0 else {
          throw Rejected(text: "no number: \(event)")
        }
        counters.insert(event.name)
      case "i": break
      default: throw Rejected(text: "an unknown phase: \(event)")
      }
    }
    for event in events where event.ph == "M" {
      guard case .text(let name)? = event.args?["name"] else { continue }
      if event.name == "process_name" { process = name }
      if event.name == "thread_name", let track = event.tid { tracks[track] = name }
    }
    guard open.values.allSatisfy(\.isEmpty), flows.isEmpty, lives.isEmpty else {
      throw Rejected(text: "not balanced: \(open) \(flows) \(lives)")
    }
  }
}
