import Testing

/// Runs a closure that makes the test fail, without failing the test.
///
/// - Parameter body: A closure that fails. If it does not, the test fails.
/// - Returns: The failures, in order.
public func knownFailures(sourceLocation: SourceLocation = #_sourceLocation, _ body: () -> Void) -> [Issue] {
  let failures = Guarded<[Issue]>([])
  withKnownIssue(sourceLocation: sourceLocation) {
    body()
  } matching: { issue in
    failures.withLock { $0.append(issue) }
    return true
  }
  return failures.withLock { $0 }
}

extension Issue {

  /// The message of the failure.
  public var message: String {
    comments.map(\.rawValue).joined(separator: "\n")
  }
}
