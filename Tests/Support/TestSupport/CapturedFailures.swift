import Testing

/// Runs a closure that makes the test fail, without failing the test.
///
/// The test or its suite must have the trait ``Testing/Trait/capturesFailures``. Without it, the failures fail the test.
///
/// - Parameter body: A closure that fails.
/// - Returns: The failures, in order.
public func capturedFailures(_ body: () -> Void) -> [Issue] {
  let failures = Guarded<[Issue]>([])
  CapturedFailures.$current.withValue(failures, operation: body)
  return failures.withLock { $0 }
}

/// Does the same for an asynchronous closure.
public func capturedFailures(isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void) async -> [Issue] {
  let failures = Guarded<[Issue]>([])
  await CapturedFailures.$current.withValue(failures, operation: body)
  return failures.withLock { $0 }
}

private enum CapturedFailures {

  /// What the innermost call has captured.
  @TaskLocal static var current: Guarded<[Issue]>?
}

extension Trait where Self == IssueHandlingTrait {

  /// A trait of tests about failures: those inside ``capturedFailures(_:)`` are not the test's own.
  public static var capturesFailures: Self {
    .compactMapIssues { issue in
      guard let failures = CapturedFailures.current else { return issue }
      failures.withLock { $0.append(issue) }
      return nil
    }
  }
}

extension Issue {

  /// The message of the failure.
  public var message: String {
    comments.map(\.rawValue).joined(separator: "\n")
  }
}
