#if canImport(Foundation)
  import CombineThreads
  import CombineCore
  import CombineDispatch
  import Foundation
  import Synchronization

  extension NotificationCenter {

    /// Returns a publisher of the notifications that have a name.
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
    ///   - object: The object that posts the notifications. With `nil`, it may be any object.
    /// - Returns: A publisher that sends each notification on the thread that posts it, and never completes. A subscriber
    ///   misses notifications posted while it has no demand.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> NotificationCenter.Publisher {
      NotificationCenter.Publisher(center: self, name: name, object: object)
    }

    /// A publisher of the notifications that have a name.
    public struct Publisher: CombineCore.Publisher {

      /// The kind of values this publisher publishes.
      public typealias Output = Notification

      /// The kind of errors this publisher can fail with: none.
      public typealias Failure = Never

      /// The notification center that is observed.
      public let center: NotificationCenter

      /// The name of the notifications.
      public let name: Notification.Name

      /// The object that posts the notifications. With `nil`, it may be any object.
      public let object: AnyObject?

      /// Creates a publisher of the notifications that have a name.
      ///
      /// - Parameters:
      ///   - center: The notification center to observe.
      ///   - name: The name of the notifications.
      ///   - object: The object that posts the notifications. With `nil`, it may be any object.
      public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
        self.center = center
        self.name = name
        self.object = object
      }

      /// Adds an observer to the center, and sends `subscriber` a subscription.
      @inlinable
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
        let subscription = NotificationSubscription(self) { subscriber.receive($0) }
        subscriber.receive(subscription: subscription)
      }
    }
  }

  extension NotificationCenter.Publisher: Equatable {

    /// Returns whether both publishers observe the same center for equal names and the same object.
    public static func == (lhs: NotificationCenter.Publisher, rhs: NotificationCenter.Publisher) -> Bool {
      lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
    }
  }

  // All properties are constant. The center is thread-safe, and the object is only compared.
  extension NotificationCenter.Publisher: @unchecked Sendable {}

  /// The subscription of one subscriber to the notifications that have a name.
  ///
  /// The center's block holds the downstream, and holds this subscription only weakly. If the subscription is released
  /// without a cancel, the downstream receives no more notifications, but the block stays in the center.
  @usableFromInline
  final class NotificationSubscription: Subscription {

    /// A closure that calls the downstream. It is created where the type of the downstream is known.
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

    /// The objects to release when the subscription is cancelled.
    @exclusivity(unchecked)  // Only with the lock held.
    private var observation: Observation?

    @usableFromInline
    init(_ publisher: NotificationCenter.Publisher, deliver: @escaping Deliver) {
      name = publisher.name
      observation = Observation(center: publisher.center, object: publisher.object)
      let deliver = UncheckedSendable(deliver)
      let filter = Self.centerFinds(publisher.object) ? publisher.object : nil
      let filtersItself = publisher.object != nil && filter == nil
      let token = publisher.center.addObserver(forName: name, object: filter, queue: nil) { [weak self] notification in
        guard let self, !filtersItself || isObject(of: notification) else { return }
        receive(notification, deliver.value)
      }
      lock.withLock { observation?.token = token }
    }

    /// Whether a center finds the notifications of an object. In Swift 6.2 Foundation finds none of an object whose class is not
    /// Foundation's (measured).
    private static func centerFinds(_ object: AnyObject?) -> Bool {
      #if compiler(>=6.3)
        true
      #else
        object is NSObject
      #endif
    }

    private func isObject(of notification: Notification) -> Bool {
      guard let object = lock.withLock({ observation?.object }) else { return false }
      return notification.object as AnyObject? === object
    }

    private func receive(_ notification: Notification, _ deliver: Deliver) {
      guard demand.take() else { return }
      gate.pass(unless: { demand.hasEnded }) {
        // The center may call an observer that was removed during a post. Another thread or an outer call on this thread
        // may also have cancelled while this thread waited for the gate.
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

  // The lock guards the observation, the demand is atomic, and all other properties are constant.
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
#endif
