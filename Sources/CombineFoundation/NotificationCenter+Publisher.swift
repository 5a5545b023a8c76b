import CombineCore
import CombineDispatch
import Foundation
import Synchronization

extension NotificationCenter {

  /// Returns a publisher of the notifications with a name.
  ///
  /// ```swift
  /// let name = Notification.Name("DocumentDidSave")
  /// let cancellable = NotificationCenter.default.publisher(for: name)
  ///   .sink { print($0.name.rawValue) }
  /// NotificationCenter.default.post(name: name, object: nil)  // prints DocumentDidSave
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the notifications.
  ///   - object: The object that posts them; any if `nil`.
  /// - Returns: A publisher that sends each notification on the thread that posts it, and never ends. What is posted
  ///   while a subscriber has no demand is lost to it.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> NotificationCenter.Publisher {
    NotificationCenter.Publisher(center: self, name: name, object: object)
  }

  /// A publisher of the notifications with a name.
  public struct Publisher: CombineCore.Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Notification

    /// The kind of errors this publisher can fail with: none.
    public typealias Failure = Never

    /// The center that is observed.
    public let center: NotificationCenter

    /// The name of the notifications.
    public let name: Notification.Name

    /// The object that posts them; any if `nil`.
    public let object: AnyObject?

    /// Creates a publisher of the notifications with a name.
    ///
    /// - Parameters:
    ///   - center: The center to observe.
    ///   - name: The name of the notifications.
    ///   - object: The object that posts them; any if `nil`.
    public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
      self.center = center
      self.name = name
      self.object = object
    }

    /// Adds an observer to the center, and sends the subscriber a subscription.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
      let subscription = NotificationSubscription(self) { subscriber.receive($0) }
      subscriber.receive(subscription: subscription)
    }
  }
}

extension NotificationCenter.Publisher: Equatable {

  /// Whether both observe the same center for equal names and the identical object.
  public static func == (lhs: NotificationCenter.Publisher, rhs: NotificationCenter.Publisher) -> Bool {
    lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
  }
}

// Constant; the center may be used from any thread, and the object is only compared.
extension NotificationCenter.Publisher: @unchecked Sendable {}

/// The subscription of one subscriber to the notifications with a name.
///
/// The center's block holds the downstream, and this only weakly: whoever drops the subscription without a cancel gets
/// no more values, but leaves the block in the center.
@usableFromInline
final class NotificationSubscription: Subscription {

  /// A function that calls the downstream. It is made where the downstream's type is known.
  @usableFromInline
  typealias Deliver = (Notification) -> Subscribers.Demand

  private struct Observation {
    var center: NotificationCenter
    var object: AnyObject?
    var token: (any NSObjectProtocol)?
  }

  private let name: Notification.Name
  private let demand = DemandCounter()
  private let gate = Gate()
  private let lock = Lock()

  /// What is let go on cancel.
  @exclusivity(unchecked)  // Only with the lock held.
  private var observation: Observation?

  @usableFromInline
  init(_ publisher: NotificationCenter.Publisher, deliver: @escaping Deliver) {
    name = publisher.name
    observation = Observation(center: publisher.center, object: publisher.object)
    let deliver = UncheckedSendable(deliver)
    let token = publisher.center.addObserver(forName: name, object: publisher.object, queue: nil) {
      [weak self] notification in
      self?.receive(notification, deliver.value)
    }
    lock.withLock { observation?.token = token }
  }

  private func receive(_ notification: Notification, _ deliver: Deliver) {
    guard demand.take() else { return }
    gate.pass(unless: { demand.hasEnded }) {
      // The center calls an observer that was removed while a post was under way; and another thread, or an outer call
      // on this one, may have cancelled while this one waited.
      guard !demand.hasEnded else { return }
      demand.add(deliver(notification))
    }
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    self.demand.add(demand)
  }

  @usableFromInline
  func cancel() {
    guard demand.end() else { return }
    gate.releaseWaiting()
    guard let observation = lock.withLock({ exchange(&self.observation, with: nil) }) else { return }
    if let token = observation.token { observation.center.removeObserver(token) }
  }
}

// The observation is guarded by the lock, the demand is atomic, the rest constant.
extension NotificationSubscription: @unchecked Sendable {}

extension NotificationSubscription: DescribedByName {

  @usableFromInline
  var description: String { "NotificationCenter Observer" }

  @usableFromInline
  var reflectedChildren: KeyValuePairs<String, Any> {
    let observation = lock.withLock { self.observation }
    return [
      "center": observation?.center as Any,
      "name": name,
      "object": observation?.object as Any,
      "demand": demand.value,
    ]
  }
}
