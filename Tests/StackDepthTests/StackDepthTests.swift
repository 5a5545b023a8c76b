import Combine
import StackDepths
import TestSupport
import Testing

/// How much of a thread's stack deep pipelines take. Each runs on a thread of its own, whose stack is large enough to
/// see by how much a limit is missed.
@Suite(.serialized) struct StackDepthTests {

  @Test(arguments: Loop.all, Appetite.allCases)
  func manySynchronousValuesTakeNoMoreStackThanFew(_ loop: Loop, _ appetite: Appetite) {
    #expect(loop.measure(appetite) <= Loop.limit)
  }

  @Test(arguments: Chain.all, Chain.End.allCases)
  func aLongChainOfErasedOperatorsIsWithinAMainThreadsStack(_ chain: Chain, _ end: Chain.End) {
    #expect(chain.measure(end) <= Chain.limit)
  }

  @Test(arguments: Feedback.all)
  func aSubjectThatFeedsItselfTakesLittleStackForEachRound(_ feedback: Feedback) {
    #expect(feedback.measure() <= feedback.limit)
  }

  /// On a thread of the pool, which would run out of its stack.
  @Test func manySynchronousValuesReachAnAsyncSequence() async {
    var count = 0
    for await _ in Publishers.Sequence<Range<Int>, Never>(sequence: 0..<100_000).values { count += 1 }
    #expect(count == 100_000)
  }
}
