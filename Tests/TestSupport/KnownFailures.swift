import Testing

/// Runs what is to make the test fail, without having it fail for that.
///
/// - Parameter body: What is to fail; if it does not, the test fails.
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

  /// What the failure says.
  public var message: String {
    comments.map(\.rawValue).joined(separator: "\n")
  }
}
