#if JetStream
  import Foundation

  // A server completes a configuration, and says the completed one. So what a program has asked for is compared in the form
  // that the server gives it.

  extension StreamConfiguration {

    /// This configuration as a server completes it.
    var completed: StreamConfiguration {
      var result = self
      result.text = text.flatMap { $0.isEmpty ? nil : $0 }
      if subjects.isEmpty, mirror == nil, sources.isEmpty { result.subjects = [name] }
      // Their order means nothing.
      result.subjects.sort()
      result.maximumMessages = limit(maximumMessages)
      result.maximumMessagesPerSubject = limit(maximumMessagesPerSubject)
      result.maximumBytes = limit(maximumBytes)
      result.maximumMessageSize = limit(maximumMessageSize)
      result.maximumAge = limit(maximumAge)
      if duplicateWindow <= .zero {
        result.duplicateWindow = StreamConfiguration(name: "", subjects: []).duplicateWindow
      }
      // The server refuses to remember an id for longer than its message.
      if let age = result.maximumAge { result.duplicateWindow = min(result.duplicateWindow, age) }
      result.replicas = max(1, replicas)
      return result
    }

    /// Whether a server makes the same stream of both.
    func isEquivalent(to other: StreamConfiguration) -> Bool { completed == other.completed }
  }

  extension ConsumerConfiguration {

    /// This configuration as a server completes it.
    var completed: ConsumerConfiguration {
      let standard = ConsumerConfiguration()
      var result = self
      result.text = text.flatMap { $0.isEmpty ? nil : $0 }
      result.filterSubject = filterSubject.flatMap { $0.isEmpty ? nil : $0 }
      result.maximumDeliveries = limit(maximumDeliveries)
      result.inactivityThreshold = limit(inactivityThreshold)
      if acknowledgementWait <= .zero || policy == .none { result.acknowledgementWait = standard.acknowledgementWait }
      if let first = backOff.first { result.acknowledgementWait = first }
      if maximumUnacknowledged <= 0 || policy == .none { result.maximumUnacknowledged = standard.maximumUnacknowledged }
      return result
    }

    /// Whether a server makes the same consumer of both.
    func isEquivalent(to other: ConsumerConfiguration) -> Bool {
      var own = completed
      let other = other.completed
      // A date has no whole nanoseconds, as the server's times have. The other one may come from the server.
      if case .time(let time) = own.start, case .time(let otherTime) = other.start,
        [time, Date(timeIntervalSince1970: Double(Self.startNanoseconds(time)) / 1e9)]
          .contains(where: { abs($0.timeIntervalSince(otherTime)) < 0.001 })
      {
        own.start = other.start
      }
      return own == other
    }
  }

  /// A limit, without the numbers that mean none.
  private func limit(_ number: Int?) -> Int? { number.flatMap { $0 > 0 ? $0 : nil } }

  private func limit(_ time: Duration?) -> Duration? { time.flatMap { $0 > .zero ? $0 : nil } }
#endif
