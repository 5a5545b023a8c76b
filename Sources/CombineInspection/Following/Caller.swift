#if canImport(Runtime) && !canImport(Darwin)
  import CombineThreads
  import Dispatch
  import Runtime
#endif
import CombineCore

/// The calls that led to a subscription, and the line of the user's code among them.
///
/// `@unchecked Sendable`: the lock guards the place, which is looked up once.
@usableFromInline
final class Caller: @unchecked Sendable {

  #if canImport(Runtime) && !canImport(Darwin)
    fileprivate let backtrace: Backtrace

    private let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var found: SourcePlace??

    private init(_ backtrace: Backtrace) {
      self.backtrace = backtrace
    }

    /// Captures the calls of this thread. It takes some hundred microseconds.
    static func capture() -> Caller? {
      (try? Backtrace.capture(limit: 80)).map(Caller.init)
    }

    /// The innermost line that is in no file of this library, if it is known by now. If not, another thread looks it up.
    var knownPlace: SourcePlace? { place { SymbolTable.shared.knownPlace(of: self) } }

    /// The same line. If it is not known yet, it is looked up now, which takes milliseconds.
    var place: SourcePlace? { place { SymbolTable.shared.place(of: backtrace) } }

    /// - Parameter search: A closure that returns the place, `.some(nil)` if there is none, or `nil` if that is not known.
    private func place(_ search: () -> SourcePlace??) -> SourcePlace? {
      if let found = lock.withLock({ found }) { return found }
      guard let place = search() else { return nil }
      lock.withLock { found = .some(place) }
      return place
    }
  #else
    private init() {}

    /// Where calls cannot be looked up, there are none.
    static func capture() -> Caller? { nil }

    var knownPlace: SourcePlace? { nil }

    var place: SourcePlace? { nil }
  #endif
}

#if canImport(Runtime) && !canImport(Darwin)

  /// A table of what the addresses of calls stand for in the program's debug information.
  ///
  /// Each is looked up once, because that takes milliseconds in a large program.
  ///
  /// `@unchecked Sendable`: the lock guards the tables.
  private final class SymbolTable: @unchecked Sendable {

    static let shared = SymbolTable()

    private enum Symbol {

      /// A call within this library, of the system or without debug information.
      case passedOver

      case user(SourcePlace)
    }

    private let lock = Lock()

    @exclusivity(unchecked)  // These three: only with the lock held.
    private var symbols: [Backtrace.Address: Symbol] = [:]

    @exclusivity(unchecked)
    private var waiting: [ObjectIdentifier: Caller] = [:]

    @exclusivity(unchecked)
    private var isLookingUp = false

    /// It is not the pipelines' queue, and gives way to them.
    private let queue = DispatchQueue(label: "CombineInspection.SymbolTable", qos: .utility)

    /// Returns the place, or `.some(nil)` if there is none. It may look it up.
    func place(of backtrace: Backtrace) -> SourcePlace?? {
      if let known = lock.withLock({ search(backtrace) }) { return known }
      lookUp(backtrace)
      return lock.withLock { search(backtrace) }
    }

    /// Returns the place, `.some(nil)` if there is none, or `nil` if it will be looked up.
    func knownPlace(of caller: Caller) -> SourcePlace?? {
      let (known, isFirst) = lock.withLock { () -> (SourcePlace??, Bool) in
        if let known = search(caller.backtrace) { return (known, false) }
        waiting[ObjectIdentifier(caller)] = caller
        defer { isLookingUp = true }
        return (nil, !isLookingUp)
      }
      if isFirst { queue.async { self.lookUpWaiting() } }
      return known
    }

    /// - Returns: The place, or `.some(nil)` if there is none; `nil` if an address has not been looked up.
    private func search(_ backtrace: Backtrace) -> SourcePlace?? {
      for frame in backtrace.frames {
        guard let address = frame.address else { continue }
        switch symbols[address] {
        case nil: return nil
        case .passedOver: continue
        case .user(let place): return .some(place)
        }
      }
      return .some(nil)
    }

    private func lookUpWaiting() {
      while let caller = lock.withLock({ nextWaiting() }) { _ = place(of: caller.backtrace) }
    }

    private func nextWaiting() -> Caller? {
      let next = waiting.popFirst()?.value
      isLookingUp = next != nil
      return next
    }

    /// Looks up all addresses. Several threads may do so at once, and find the same.
    private func lookUp(_ backtrace: Backtrace) {
      var found: [Backtrace.Address: Symbol] = [:]
      for frame in backtrace.frames { if let address = frame.address { found[address] = .passedOver } }
      // An address within a function that is inlined has several frames, the innermost first.
      for frame in backtrace.symbolicated()?.frames ?? [] {
        guard let address = frame.captured.address, case .passedOver = found[address] ?? .passedOver,
          let location = frame.symbol?.sourceLocation, Self.isOfUser(location.path)
        else { continue }
        found[address] = .user(SourcePlace(file: location.path, line: location.line))
      }
      lock.withLock { symbols.merge(found) { old, _ in old } }
    }

    private static func isOfUser(_ path: String) -> Bool {
      path.hasPrefix("/") && path.hasSuffix(".swift") && !path.hasPrefix(ownFolder)
    }

    /// The folder `Sources` of this library.
    private static let ownFolder: String = {
      let file = "\(#filePath as StaticString)"
      return file.range(of: "CombineInspection/").map { String(file[..<$0.lowerBound]) } ?? file
    }()
  }

  extension Backtrace.Frame {

    /// The address of the call. Frames that were left out have none.
    fileprivate var address: Backtrace.Address? {
      switch self {
      case .programCounter, .returnAddress, .asyncResumePoint: adjustedProgramCounter
      case .omittedFrames, .truncated: nil
      @unknown default: nil
      }
    }
  }
#endif
