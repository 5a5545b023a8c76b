import CombineCore
import TestSupport
import Testing

@Suite struct AnyPublisherTests {

  @Test func isOneReferenceToABoxThatErasingTwiceShares() {
    let once = ManualPublisher<Int, Never>().eraseToAnyPublisher()
    let twice = AnyPublisher(once.eraseToAnyPublisher())
    #expect(MemoryLayout<AnyPublisher<Int, Never>>.size == MemoryLayout<AnyObject>.size)
    let boxes = [once, twice].map { ObjectIdentifier(unsafeBitCast($0, to: AnyObject.self)) }
    #expect(boxes[0] == boxes[1])
  }

  @Test func handsTheVerySubscriberToTheBase() {
    let base = ManualPublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>()
    base.eraseToAnyPublisher().subscribe(subscriber)
    #expect(base.subscriber as? RecordingSubscriber<Int, Never> === subscriber)
    #expect(subscriber.subscription as? ManualSubscription === base.subscription)
  }

  @Test func showsItsNameOnly() {
    let erased = Just(1).eraseToAnyPublisher()
    #expect(erased.description == "AnyPublisher")
    #expect(erased.playgroundDescription as? String == "AnyPublisher")
    #expect(!((erased as Any) is any CustomReflectable))
    #expect(!((erased as Any) is any Equatable))
  }
}
