import CombineCore
import Testing

extension ExitTest.Result? {

  /// Checks that a signal stopped a process for a mistake, and that its message names the operator and the mistake.
  ///
  /// ```swift
  /// await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
  ///   Just(1).subscribe(RecordingSubscriber<Int, Never>(requesting: .none))
  /// }.expectMisuse("Just", .zeroDemand)
  /// ```
  ///
  /// - Parameters:
  ///   - operation: The operator, as its subscription describes itself, or the method.
  ///   - mistake: The mistake.
  package func expectMisuse(
    _ operation: String,
    _ mistake: Misuse,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectTrap(saying: "Fatal error: \(operation): \(mistake.rawValue)\n", sourceLocation: sourceLocation)
  }

  /// Checks that a trap, which is a signal, stopped a process.
  ///
  /// - Parameter message: The message before the trap, if it is known. The standard library's checks may print none.
  package func expectTrap(saying message: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
    guard let self else { return }  // `#expect` has reported why.
    #if !os(Windows)
      guard case .signal = self.exitStatus else {
        Issue.record("exited with \(self.exitStatus), not by a signal", sourceLocation: sourceLocation)
        return
      }
    #endif
    guard let message else { return }
    let output = String(decoding: self.standardErrorContent, as: UTF8.self)
    #expect(output.contains(message), sourceLocation: sourceLocation)
  }
}
