import Synchronization

/// The subject behind a published property: its value, its subscribers, and the publisher that announces its changes.
@usableFromInline
final class PublishedSubject<Value> {

  @usableFromInline
  let core: CurrentValueCore<Value, Never>

  /// The publisher that announces changes.
  var objectWillChange: ObservableObjectPublisher? {
    announcementAddress.load(ordering: .acquiring) == 0 ? nil : announcement
  }

  /// The address of `announcement`; zero while there is none. Set once, after `announcement`.
  @usableFromInline
  let announcementAddress = Atomic<UInt>(0)

  @exclusivity(unchecked)  // Never changes once `announcementAddress` is set, so a value needs no lock for it.
  private var announcement: ObservableObjectPublisher?

  @inlinable
  init(_ value: Value) {
    core = CurrentValueCore(value, .storedLast, name: "PublishedSubject")
  }

  deinit {
    core.close()
  }

  /// Sets the publisher that announces changes. It is called once, by one thread.
  func announceChanges(to publisher: ObservableObjectPublisher) {
    precondition(announcementAddress.load(ordering: .relaxed) == 0)
    announcement = publisher
    let address = UInt(bitPattern: Unmanaged.passUnretained(publisher).toOpaque())
    announcementAddress.store(address, ordering: .releasing)
  }

  /// Announces a change, in no turn of this subject: a thread that sends `objectWillChange` by hand may set the property then.
  ///
  /// - Returns: The number of the newest subscriber before.
  @usableFromInline
  func announce() -> Int64 {
    let address = announcementAddress.load(ordering: .acquiring)
    guard address != 0 else { return .max }
    let last = core.lastNumber()
    // It lives as long as this object, so it is not retained.
    unsafeBitCast(address, to: Unmanaged<ObservableObjectPublisher>.self)._withUnsafeGuaranteedRef { $0.send() }
    return last
  }
}

/// The property as the target of `assign(to:)`. It ignores a completion.
extension PublishedSubject: Subject {

  @usableFromInline
  typealias Output = Value

  @usableFromInline
  typealias Failure = Never

  /// Announces a change, sends the new value, and only then stores it.
  @inlinable
  func send(_ value: Value) {
    core.send(value, upTo: announce())
  }

  @usableFromInline
  func send(completion: Subscribers.Completion<Never>) {}

  @usableFromInline
  func send(subscription: any Subscription) {
    _ = core.keep(subscription)
    subscription.request(.unlimited)
  }

  @inlinable
  @inline(__always)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
    core.subscribe(subscriber, to: self)
  }
}

/// A published property, as an observable object finds it among its stored properties.
protocol PublishedProperty {

  /// The publisher that announces changes of the property.
  var objectWillChange: ObservableObjectPublisher? { get }

  /// Sets the publisher that announces changes. It is called once, by one thread.
  func announceChanges(to publisher: ObservableObjectPublisher)
}

extension Published: PublishedProperty {

  var objectWillChange: ObservableObjectPublisher? { subject.objectWillChange }

  func announceChanges(to publisher: ObservableObjectPublisher) {
    subject.announceChanges(to: publisher)
  }
}
