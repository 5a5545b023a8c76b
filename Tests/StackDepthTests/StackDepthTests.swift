import Combine
import StackDepths
import TestSupport
import Testing

/// The stack that deep pipelines take. Each test runs on a new thread, whose stack is large enough to measure by how
/// much a limit is exceeded. In short runs the program `StackDepths` measures a release build.
@Suite(.inLongRuns) struct StackDepthTests {

  @Test(arguments: Loop.all, Appetite.allCases)
  func manySynchronousValuesTakeNoMoreStackThanFew(_ loop: Loop, _ appetite: Appetite) {
    #expect(loop.measure(appetite) <= Loop.limit)
  }

  @Test(arguments: Chain.all, Chain.End.allCases)
  func aLongChainOfErasedOperatorsFitsAMainThreadsStack(_ chain: Chain, _ end: Chain.End) {
    #expect(chain.measure(end) <= Chain.limit)
  }

  // They run one after the other, because they take hundreds of megabytes.
  @Test(.serialized, arguments: Feedback.all)
  func aSubjectThatFeedsItselfTakesLittleStackForEachRound(_ feedback: Feedback) {
    #expect(feedback.measure() <= feedback.limit)
  }

  /// Runs on a thread of the pool, whose stack would overflow.
  @Test func manySynchronousValuesReachAnAsyncSequence() async {
    var count = 0
    for await _ in Publishers.Sequence<Range<Int>, Never>(sequence: 0..<100_000).values { count += 1 }
    #expect(count == 100_000)
  }
}
