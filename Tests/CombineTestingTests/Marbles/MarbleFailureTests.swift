import CombineTesting
import TestSupport
import Testing

/// Pictures that are wrong, and what is said of them.
@Suite struct MarbleFailureTests {

  /// Checks that a test fails once, with a message.
  private func expectFailure(
    _ message: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () -> Void
  ) {
    let messages = Guarded<[String]>([])
    withKnownIssue {
      body()
    } matching: { issue in
      messages.withLock { $0 += issue.comments.map(\.rawValue) }
      return true
    }
    #expect(messages.withLock { $0 } == [message], sourceLocation: sourceLocation)
  }

  @Test func aDifferenceIsMarkedAndSpeltOut() {
    expectFailure(
      """
      marbles: the output differs from its diagram
        expected: --a---c--|
        actual:   --a----c-|
                        ^
        expected: value c at 6
        actual:   value c at 7
      """
    ) {
      marbles {
        "a--bc----|"
        $0[0].debounce(for: 2, scheduler: $0.scheduler).delay(for: 0, scheduler: $0.scheduler)
        "--a---c--|"
      }
    }
  }
}
