import CombineExtras
import CombineInspection
import TestSupport
import Testing

/// Code of a user that the inspection calls, and that makes pipelines itself. A lock that is taken twice ends the process.
@Suite struct InspectionUserCodeTests {

  @Test func identifiersAreReadWithNoLockHeld() async {
    await #expect(processExitsWith: .success) { Body.identifiersAreReadWithNoLockHeld() }
  }

  @Test func oldOptionsAreReleasedWithNoLockHeld() async {
    await #expect(processExitsWith: .success) { Body.oldOptionsAreReleasedWithNoLockHeld() }
  }
}

private enum Body {

  static func identifiersAreReadWithNoLockHeld() {
    Inspection.start(.init(followsEverything: true))
    let subscriber = InquiringSubscriber()
    InquiringPublisher().subscribe(subscriber)
    #expect(subscriber.values == [1])
    subscriber.subscription?.cancel()
    Inspection.stop()
    #expect(inquiries > 5)
  }

  static func oldOptionsAreReleasedWithNoLockHeld() {
    nonisolated(unsafe) var released = 0
    nonisolated(unsafe) let token = CallsOnDeinit {
      released += 1
      Just(1).subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
      _ = Inspection.living
    }
    Inspection.start(options(holding: token))
    Inspection.start(.init(followsEverything: true))
    _ = consume token
    #expect(released == 1)
    Inspection.stop()
  }

  private static func options(holding token: CallsOnDeinit) -> Inspection.Options {
    nonisolated(unsafe) let token = token
    return Inspection.Options { value in withExtendedLifetime(token) { "\(value)" } }
  }
}

private nonisolated(unsafe) var inquiries = 0

/// Makes a pipeline, unless one is being made.
private func inquire() {
  guard inquiries >= 0 else { return }
  let count = inquiries
  inquiries = -1
  Just(1).subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { _ in }))
  _ = Inspection.living
  inquiries = count + 1
}

private final class InquiringSubscriber: Subscriber {

  private let identifier = CombineIdentifier()
  private(set) var subscription: (any Subscription)?
  private(set) var values: [Int] = []

  var combineIdentifier: CombineIdentifier {
    inquire()
    return identifier
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.request(.unlimited)
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    values.append(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}

/// Sends 1 at the first request.
private struct InquiringPublisher: Publisher {

  typealias Output = Int
  typealias Failure = Never

  func receive<S: Subscriber<Int, Never>>(subscriber: S) {
    subscriber.receive(subscription: InquiringSubscription(subscriber: subscriber))
  }
}

private struct InquiringSubscription: Subscription {

  let identifier = CombineIdentifier()
  let subscriber: any Subscriber<Int, Never>

  var combineIdentifier: CombineIdentifier {
    inquire()
    return identifier
  }

  func request(_ demand: Subscribers.Demand) { _ = subscriber.receive(1) }

  func cancel() {}
}
