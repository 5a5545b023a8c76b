import BenchmarkSupport

/// A part that can be measured alone.
package enum Part: Hashable, Sendable {
  case workload(Workload)
  case crowds
  case junction(Junction)
  case senders
}

extension Part {

  package var workload: Workload? {
    if case .workload(let workload) = self { workload } else { nil }
  }

  package var junction: Junction? {
    if case .junction(let junction) = self { junction } else { nil }
  }
}

extension Part: CaseIterable {

  package static var allCases: [Part] {
    Workload.allCases.map(Part.workload) + [.crowds] + Junction.allCases.map(Part.junction) + [.senders]
  }
}

extension Part: RawRepresentable {

  package var rawValue: String {
    switch self {
    case .workload(let workload): workload.rawValue
    case .crowds: "idle-subscriptions"
    case .junction(let junction): junction.rawValue
    case .senders: "eight-senders"
    }
  }

  package init?(rawValue: String) {
    guard let part = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = part
  }

  /// The name, and the meaning of one element.
  package var summary: String {
    switch self {
    case .workload(let workload): "\(workload.definition.title); an element is \(workload.definition.element)"
    case .crowds: "subscriptions to one subject that never sends: memory, and time to make and to cancel them"
    case .junction(let junction): junction.title
    case .senders: SendersRow.title
    }
  }
}
