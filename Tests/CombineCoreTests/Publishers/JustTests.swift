import CombineCore
import TestSupport
import Testing

// SingleValueTests tests the behaviour that it shares with the other publishers of one value.
@Suite struct JustTests {

  @Test func holdsItsOutput() {
    #expect(Just("a").output == "a")
  }

  @Test func isEqualWhenTheOutputIs() {
    #expect(Just(1) == Just(1))
    #expect(Just(1) != Just(2))
  }

  @Test func reflectsAnOptionalValue() {
    let subscriber = RecordingSubscriber<Int?, Never>()
    Just<Int?>(42).subscribe(subscriber)
    let child = Mirror(reflecting: subscriber.subscription!).children.first
    #expect(child?.label == nil)
    #expect(child?.value as? Int == 42)
  }

  @Test func isSendableWhenTheOutputIs() {
    let publisher: any Sendable & Publisher = Just(1)
    #expect(publisher is Just<Int>)
  }
}
