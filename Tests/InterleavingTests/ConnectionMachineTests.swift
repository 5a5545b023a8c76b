import Observation
import TestSupport
import Testing

@testable import CombineCore
@testable import CombineFoundation

/// The machines that count the subscribers, or decide which thread reads.
@Suite struct ConnectionMachineTests {

  // MARK: AutoconnectMachine

  /// The events of the subscribers, by number. Each subscriber has its own thread.
  private enum RegistrationEvent {
    case attach(Int), connected(Int), leave(Int), didDisconnect(Int)
  }

  private struct Connection: Cancellable {
    let number: Int
    func cancel() {}
  }

  private enum Registration {
    case absent, connecting, counted, leftWhileConnecting, disconnecting, reconnecting, closing, left
  }

  /// The publisher with its subscribers. The state of each subscriber is part of the model, as in the conduit.
  private struct Autoconnect {
    var state = AutoconnectMachine.disconnected
    var registrations = [Registration](repeating: .absent, count: 3)

    /// The connections that were made and not released, and those that a subscriber's thread is cancelling.
    var open: Set<Int> = []
    var closing = [Connection?](repeating: nil, count: 3)
    var connectionCount = 0
    var faults: [String] = []

    var events: [RegistrationEvent] {
      registrations.indices.flatMap { index -> [RegistrationEvent] in
        switch registrations[index] {
        case .absent: [.attach(index)]
        // A subscriber may leave before the connection exists, during the call that subscribes it.
        case .connecting: [.connected(index), .leave(index)]
        case .leftWhileConnecting, .reconnecting: [.connected(index)]
        case .disconnecting, .closing: [.didDisconnect(index)]
        case .counted: [.leave(index)]
        case .left: []
        }
      }
    }

    mutating func step(_ event: RegistrationEvent) -> String {
      switch event {
      case .attach(let index):
        let isCounted = state.register(thread: UInt(index + 1))
        registrations[index] = isCounted ? .counted : .connecting
        return isCounted ? "counted" : "has to connect"
      case .connected(let index):
        connectionCount += 1
        open.insert(connectionCount)
        let isCounted = registrations[index] == .connecting
        let superfluous = state.connected(Connection(number: connectionCount), isCounted: isCounted)
        registrations[index] = isCounted ? .counted : .left
        guard let superfluous = superfluous as? Connection else { return "-" }
        // It is cancelled after this step, and other threads may come in between.
        closing[index] = superfluous
        if case .disconnecting(UInt(index + 1), _) = state {
          registrations[index] = .disconnecting
        } else {
          registrations[index] = .closing
        }
        return "begins to disconnect"
      case .leave(let index):
        let wasCounted = registrations[index] == .counted
        registrations[index] = wasCounted ? .left : .leftWhileConnecting
        guard wasCounted else { return "not counted" }
        closing[index] = state.leave(thread: UInt(index + 1)) as? Connection
        if closing[index] != nil { registrations[index] = .disconnecting }
        return closing[index] == nil ? "-" : "begins to disconnect"
      case .didDisconnect(let index):
        let closed = close(closing[index])
        if registrations[index] == .closing {
          registrations[index] = .left
          return closed
        }
        let isAwaited = state.didDisconnect(thread: UInt(index + 1))
        registrations[index] = isAwaited ? .reconnecting : .left
        return isAwaited ? "\(closed), has to connect" : closed
      }
    }

    private mutating func close(_ connection: (any Cancellable)?) -> String {
      guard let connection = connection as? Connection else { return "-" }
      if open.remove(connection.number) == nil { faults.append("closed twice") }
      return "closes \(connection.number)"
    }

    /// The number of subscribers, and of those among them that have yet to connect.
    var presentCount: Int { registrations.filter { $0 == .counted || $0 == .connecting }.count }
    var connectingCount: Int {
      registrations.count {
        [.connecting, .leftWhileConnecting, .disconnecting, .reconnecting, .closing].contains($0)
      }
    }
  }

  @Test func autoconnect() {
    let explorer = Explorer<Autoconnect, RegistrationEvent, String>(
      alphabet: \.events,
      step: { $0.step($1) },
      invariants: [
        .init("no connection is closed twice") { state, _ in state.faults.isEmpty },
        .init("one connection at a time") { state, _ in state.open.count <= 1 },
        .init("connected while somebody is there") { state, _ in
          state.connectingCount > 0 || state.open.count == (state.presentCount > 0 ? 1 : 0)
        },
        .init("nobody waits for a connection that nobody makes") { state, _ in
          switch state.state {
          case .connecting, .disconnecting: state.connectingCount > 0
          case .connected, .disconnected: true
          }
        },
        .init("the count is right") { state, _ in
          if case .connected(let count, _) = state.state { count == state.presentCount } else { true }
        },
      ]
    )
    expectNoViolation("AutoconnectMachine", explorer, from: Autoconnect(), depth: 9)
  }

  // MARK: PropertyReadings

  /// The steps of the two threads that change a property, by number.
  private enum PropertyEvent {
    case change(Int), notify(Int), announce(Int), look(Int), register(Int), finish(Int)
  }

  /// A property, and the subscription that reads it.
  ///
  /// After a change the property looks up the existing registrations, and announces the change through each. A reading
  /// reads the value first, and registers after that.
  private struct Property {

    private enum Reading {
      case looking(isRegistering: Bool), registering, finishing
    }

    private struct Thread {

      /// Whether the thread has changed the property without an announcement yet, and then the registrations to
      /// announce to.
      var hasChanged = false
      var announcements: [Int64] = []

      /// The reading that the thread makes, and the registration that caused it.
      var reading: Reading?
      var announcer: Int64 = 0
      var seen = 0
      var changeCount = 0
    }

    private var readings = PropertyReadings()
    private var value = 0
    private var threads = [Thread(), Thread()]
    private var registrations: [Int64] = [1]

    /// The value read last, and its number.
    private var result = (value: 0, number: Int64(1))
    private(set) var isOutOfOrder = false

    init() {
      readings.start(on: 9)
      _ = readings.finish()
    }

    var isQuiet: Bool { threads.allSatisfy { !$0.hasChanged && $0.announcements.isEmpty && $0.reading == nil } }
    var isUpToDate: Bool { result.value == value }

    var events: [PropertyEvent] {
      threads.indices.flatMap { index -> [PropertyEvent] in
        let thread = threads[index]
        switch thread.reading {
        case .looking: return [.look(index)]
        case .registering: return [.register(index)]
        case .finishing: return [.finish(index)]
        case nil: break
        }
        if thread.hasChanged { return [.notify(index)] }
        if !thread.announcements.isEmpty { return [.announce(index)] }
        return thread.changeCount < 2 ? [.change(index)] : []
      }
    }

    mutating func perform(_ event: PropertyEvent) -> String {
      switch event {
      case .change(let index):
        threads[index].changeCount += 1
        value = (index + 1) * 10 + threads[index].changeCount
        threads[index].hasChanged = true
        return "value \(value)"
      case .notify(let index):
        threads[index].hasChanged = false
        threads[index].announcements = registrations
        return "through \(registrations)"
      case .announce(let index):
        let registration = threads[index].announcements.removeFirst()
        let next = readings.change(announcedBy: registration, on: UInt(index + 1))
        if next != .ignore { threads[index].announcer = registration }
        begin(next, on: index)
        return "\(next)"
      case .look(let index):
        threads[index].seen = value
        guard case .looking(let isRegistering) = threads[index].reading else { return "" }
        threads[index].reading = isRegistering ? .registering : .finishing
        return "sees \(value)"
      case .register(let index):
        registrations.append(readings.registration)
        threads[index].reading = .finishing
        return "registration \(readings.registration)"
      case .finish(let index):
        let next = readings.finish()
        if case .done(let number) = next {
          isOutOfOrder = isOutOfOrder || number <= result.number
          result = (threads[index].seen, number)
          registrations.removeAll { $0 == threads[index].announcer }
          threads[index].reading = nil
        } else {
          begin(next, on: index)
        }
        return "\(next)"
      }
    }

    private mutating func begin(_ next: PropertyReadings.Step, on index: Int) {
      if case .read(let isRegistering) = next { threads[index].reading = .looking(isRegistering: isRegistering) }
    }

    /// Whether the next change will be announced.
    var isWatched: Bool { registrations.contains(readings.registration) }
  }

  @Test func propertyReadings() {
    let explorer = Explorer<Property, PropertyEvent, String>(
      alphabet: \.events,
      step: { $0.perform($1) },
      invariants: [
        .init("when all is quiet, the last reading saw the last value") { state, _ in
          !state.isQuiet || state.isUpToDate
        },
        .init("when all is quiet, the next change will be announced") { state, _ in !state.isQuiet || state.isWatched },
        .init("readings are numbered in order") { state, _ in !state.isOutOfOrder },
      ]
    )
    expectNoViolation("PropertyReadings", explorer, from: Property(), depth: 16)
  }
}

#if !canImport(Darwin)
  /// An observable object that several threads may change, with points around each change.
  private final class Shared: Observable, @unchecked Sendable {
    // Sendable: one thread of a program runs at a time.

    private let registrar = ObservationRegistrar()
    private var stored = 0

    var value: Int {
      get {
        registrar.access(self, keyPath: \.value)
        Interleavings.point("reads the property")
        return stored
      }
      set {
        registrar.withMutation(of: self, keyPath: \.value) {
          Interleavings.point("changes the property to \(newValue)")
          stored = newValue
          Interleavings.point("has changed the property to \(newValue)")
        }
      }
    }
  }

  @Suite struct ObservedPropertyThreadTests {

    @Test func theLastPublishedValueIsTheLastOneOfTheProperty() {
      expectNoFault("an observed property, two changes") {
        let shared = Shared()
        let witness = Witness<Int>()
        shared.publisher(for: \.value).setFailureType(to: TestError.self).subscribe(witness)
        return ThreadedProgram(
          threads: [{ shared.value = 1 }, { shared.value = 2 }],
          faults: {
            var verdict = Verdict(witness)
            let values = witness.values
            verdict.require(values.first == 0 && values.last == shared.value, "\(values), and it is \(shared.value)")
            shared.value = 3
            verdict.require(witness.values.last == 3, "the next change is not announced: \(witness.values)")
            return verdict.faults
          }
        )
      }
    }
  }
#endif
