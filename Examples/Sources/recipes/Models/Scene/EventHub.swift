import Combine

/// The subjects of one event source, one for each type of event that was subscribed to.
///
/// The scene has a hub, and a hub for each entity in it. A hub refers to neither, so a publisher that is kept keeps no entity.
final class EventHub {

  private let deliveries: DeliveryCounter
  private var subjects: [ObjectIdentifier: any Subject] = [:]
  private var isFinished = false

  init(_ deliveries: DeliveryCounter) {
    self.deliveries = deliveries
  }

  /// Subscribes to the events of a type. It finishes at once if the hub has finished.
  func subscribe<E: Event>(_ subscriber: some Subscriber<E, Never>) {
    guard !isFinished else {
      Empty().subscribe(subscriber)
      return
    }
    let subject = subject(for: E.self)
    guard let current = deliveries.current else {
      subject.subscribe(subscriber)
      return
    }
    // A handler subscribes. The event that it handles may not have reached this hub yet.
    subject
      .drop { [deliveries] _ in deliveries.current == current }
      .subscribe(subscriber)
  }

  /// Sends an event to the subscribers to its type.
  func send<E: Event>(_ event: E) {
    (subjects[ObjectIdentifier(E.self)] as? PassthroughSubject<E, Never>)?.send(event)
  }

  /// Finishes all subscriptions, and releases the subjects.
  func finish() {
    isFinished = true
    let subjects = subjects.values
    self.subjects = [:]
    for subject in subjects { Self.finish(subject) }
  }

  private static func finish(_ subject: some Subject) {
    subject.send(completion: .finished)
  }

  private func subject<E: Event>(for type: E.Type) -> PassthroughSubject<E, Never> {
    if let subject = subjects[ObjectIdentifier(type)] as? PassthroughSubject<E, Never> { return subject }
    let subject = PassthroughSubject<E, Never>()
    subjects[ObjectIdentifier(type)] = subject
    return subject
  }
}
