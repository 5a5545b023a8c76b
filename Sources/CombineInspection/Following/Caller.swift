#if canImport(Runtime) && !canImport(Darwin)
  import Runtime
#endif
import CombineCore
import Foundation

/// The calls that led to a subscription, and the line of the user's code among them.
///
/// `@unchecked Sendable`: the lock guards the place, which is looked up once.
@usableFromInline
final class Caller: @unchecked Sendable {

  #if canImport(Runtime) && !canImport(Darwin)
    private let backtrace: Backtrace

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

    /// The innermost line that is in no file of this library. It is looked up in the program's debug information.
    var place: SourcePlace? {
      if let found = lock.withLock({ found }) { return found }
      let place = Self.place(in: backtrace)
      lock.withLock { found = .some(place) }
      return place
    }

    private static func place(in backtrace: Backtrace) -> SourcePlace? {
      guard let frames = backtrace.symbolicated()?.frames else { return nil }
      for frame in frames {
        guard let location = frame.symbol?.sourceLocation else { continue }
        let path = location.path
        guard path.hasPrefix("/"), path.hasSuffix(".swift"), !path.hasPrefix(ownFolder) else { continue }
        return SourcePlace(file: path, line: location.line)
      }
      return nil
    }

    /// The folder `Sources` of this library.
    private static let ownFolder: String = {
      let file = "\(#filePath as StaticString)"
      return file.range(of: "CombineInspection/").map { String(file[..<$0.lowerBound]) } ?? file
    }()
  #else
    private init() {}

    /// Where calls cannot be looked up, there are none.
    static func capture() -> Caller? { nil }

    var place: SourcePlace? { nil }
  #endif
}
