/// A mistake that ends the process, and its message.
struct Trap: Sendable {

  /// The operator, as its subscription describes itself, or the method if the mistake is an argument.
  let operation: String

  /// The mistake, in the words of the message.
  let mistake: String

  /// Makes the mistake. Returns if it does not trap.
  let run: @Sendable () async -> Void

  init(_ operation: String, _ mistake: String, _ run: @escaping @Sendable () async -> Void) {
    self.operation = operation
    self.mistake = mistake
    self.run = run
  }

  /// The end of the line that the process writes to standard error.
  var message: String { "Fatal error: \(operation): \(mistake)" }

  /// Whether the output of a process has that line, and the line does not begin with the place of the function by which
  /// all mistakes end the process: that of the operator says more, as in `CombineCore/Drop.swift:89`.
  func isNamed(in output: String) -> Bool {
    output.split(separator: "\n").contains { line in
      line.hasSuffix(message) && !line.contains("/Misuse.swift:") && !line.contains("/RequirePositive.swift:")
    }
  }
}
