#if canImport(Observation) && !canImport(Darwin)
  import CombineThreads
  import CombineCore
  // The public interface of the module announces only that a property will change, which is too early to read it. These
  // two declarations announce it both before and after the change: `withObservationTracking(_:didSet:)`,
  // `withObservationTracking(_:willSet:didSet:)`. Every toolchain for the platforms of this package contains them.
  @_spi(SwiftUI) import Observation

  extension Observable where Self: AnyObject {

    /// Returns a publisher of the values of a property.
    ///
    /// ```swift
    /// @Observable final class Weather {
    ///   var temperature = 20.0
    /// }
    /// let weather = Weather()
    /// let cancellable = weather.publisher(for: \.temperature).sink { print($0) }  // prints 20.0
    /// weather.temperature = 25  // prints 25.0
    /// ```
    ///
    /// It is the counterpart, for `@Observable` classes, of the publisher with the same name for key-value observing.
    /// The property may be computed from other properties of this or of other observable objects. The key path may lead
    /// through several objects. A change of any property involved is a change of the observed property.
    ///
    /// - The publisher sends a value after each change, inside the assignment, on the thread that makes the change. Use
    ///   `receive(on:)` to deliver it elsewhere. For an equatable type, assigning an equal value is no change.
    /// - Several threads may change the property at the same time, if the object is thread-safe. An intermediate value
    ///   may then be missing, and a value may be sent twice. The last value sent is always the last value of the
    ///   property. There is one exception, for a key path through several objects. If an object in the middle is
    ///   replaced at the same time, changes of the new object may remain unnoticed until the next announced change.
    /// - A subscriber misses changes while it has no demand. With the option `initial`, the first value waits for the
    ///   first request.
    /// - The publisher holds the object. A subscription does not. The publisher never completes, even if the object is
    ///   released.
    /// - A cancelled subscription leaves a small object in the property until the property changes.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - options: The values to send in addition: `initial` for the value at subscription, `prior` for the value
    ///     before each change.
    /// - Returns: A publisher of the property's values.
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>,
      options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> Publishers.ObservedProperty<Self, Value> {
      Publishers.ObservedProperty(object: self, keyPath: keyPath, options: options)
    }

    /// Returns a publisher that sends the values of a property on a scheduler.
    ///
    /// ```swift
    /// @Observable final class Download {
    ///   var progress = 0.0
    /// }
    /// let download = Download()
    /// let cancellable = download.publisher(for: \.progress, on: DispatchQueue.main)
    ///   .sink { print($0) }  // 0.0, and what the progress is after each change, on the main queue
    /// ```
    ///
    /// The value is read when the property changes. It is sent later, in the order of the changes. When the value
    /// arrives, the property may already have changed again. In all other respects this is ``publisher(for:options:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - options: The values to send in addition: `initial` for the value at subscription, `prior` for the value
    ///     before each change.
    ///   - scheduler: The scheduler on which the values are sent.
    /// - Returns: A publisher of the property's values.
    public func publisher<Value, S: Scheduler>(
      for keyPath: KeyPath<Self, Value>,
      options: NSKeyValueObservingOptions = [.initial, .new],
      on scheduler: S
    ) -> Publishers.ReceiveOn<Publishers.ObservedProperty<Self, Value>, S> {
      publisher(for: keyPath, options: options).receive(on: scheduler)
    }
  }

  extension Publishers {

    /// A publisher of the values of a property of an observable object.
    public struct ObservedProperty<Object: Observable & AnyObject, Value>: Publisher {

      /// The kind of values this publisher publishes.
      public typealias Output = Value

      /// The kind of errors this publisher can fail with: none.
      public typealias Failure = Never

      /// The observed object.
      public let object: Object

      /// The key path of the observed property.
      public let keyPath: KeyPath<Object, Value>

      /// The values that are sent in addition to the value after each change.
      public let options: NSKeyValueObservingOptions

      /// Creates a publisher of the values of a property.
      ///
      /// - Parameters:
      ///   - object: The object to observe.
      ///   - keyPath: The key path of the property.
      ///   - options: The values that are sent in addition to the value after each change.
      public init(object: Object, keyPath: KeyPath<Object, Value>, options: NSKeyValueObservingOptions) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
      }

      /// Starts to observe the property, and sends `subscriber` a subscription.
      @inlinable
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
        let subscription = ObservedPropertySubscription(self) { subscriber.receive($0) }
        subscriber.receive(subscription: subscription)
      }

      /// Returns a publisher that announces changes without their values.
      ///
      /// - Returns: A publisher of an empty value for each value of this one.
      @inlinable
      public func didChange() -> Publishers.Map<Self, Void> {
        map { _ in }
      }
    }
  }

  extension Publishers.ObservedProperty: Equatable {

    /// Returns whether both publishers observe the same property of the same object with the same options.
    public static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.object === rhs.object && lhs.keyPath == rhs.keyPath && lhs.options == rhs.options
    }
  }

  /// The subscription of one subscriber to the values of a property.
  ///
  /// The registration in the property holds this subscription weakly, and the subscription holds the object weakly. If
  /// the subscription is released, its subscriber receives no more values. It keeps no object alive.
  @usableFromInline
  final class ObservedPropertySubscription<Object: Observable & AnyObject, Value>: Subscription {

    /// A closure that calls the downstream. It is created where the type of the downstream is known.
    @usableFromInline
    typealias Deliver = (Value) -> Subscribers.Demand

    /// A value that was read, with its number. The first reading is number 1.
    private typealias Reading = (value: Value, number: Int64)

    @exclusivity(unchecked)  // Never written after `init`, and reading a weak reference is safe from any thread.
    private weak var object: Object?

    private let keyPath: KeyPath<Object, Value>
    private let sendsPrior: Bool

    private let demand = DemandCounter()
    private let gate = Gate()
    private let lock = Lock()

    @exclusivity(unchecked)  // These three: only with the lock held.
    private var readings = PropertyReadings()

    /// The closure that calls the downstream, or `nil` after a cancel.
    @exclusivity(unchecked)
    private var deliver: Deliver?

    /// The value at the time of the subscription, until the first request.
    @exclusivity(unchecked)
    private var first: Reading?

    @usableFromInline
    init(_ publisher: Publishers.ObservedProperty<Object, Value>, deliver: @escaping Deliver) {
      object = publisher.object
      keyPath = publisher.keyPath
      sendsPrior = publisher.options.contains(.prior)
      self.deliver = deliver

      lock.withLock { readings.start(on: Platform.currentThread) }
      // The property is read again, because no registration announces a change before the first one.
      _ = read(registering: 1)
      let first = answer(.read(registering: false))
      if publisher.options.contains(.initial) { lock.withLock { self.first = first } }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
      guard demand > .none else { return }
      self.demand.add(demand)
      if let first = lock.withLock({ exchange(&self.first, with: nil) }) { send(first.value, first.number) }
    }

    @usableFromInline
    func cancel() {
      guard demand.end() else { return }
      gate.releaseWaiting()
      _ = lock.withLock { (exchange(&deliver, with: nil), exchange(&first, with: nil)) }
    }

    // MARK: Reading

    /// Reads the property with a registration that announces its next change.
    private func read(registering registration: Int64) -> Value? {
      guard let object else { return nil }
      let receiver: any ChangeReceiver = self
      let changed: @Sendable (ObservationTracking) -> Void = { [weak receiver] tracking in
        guard let receiver else { return tracking.cancel() }
        receiver.receiveChange(announcedBy: registration, tracking)
      }
      guard sendsPrior else {
        return withObservationTracking({ object[keyPath: keyPath] }, didSet: changed)
      }
      return withObservationTracking(
        { object[keyPath: keyPath] },
        willSet: { [weak receiver] _ in receiver?.receivePriorChange(announcedBy: registration) },
        didSet: changed
      )
    }

    /// Reads the property, and reads it again if another thread changes it meanwhile.
    ///
    /// - Parameter step: The first step.
    /// - Returns: The current value and its number, or `nil` if the object was released.
    private func answer(_ step: PropertyReadings.Step) -> Reading? {
      var step = step
      var value: Value?
      while true {
        switch step {
        case .ignore:
          return nil
        case .read(let isRegistering):
          value = isRegistering ? read(registering: lock.withLock { readings.registration }) : object?[keyPath: keyPath]
        case .done(let number):
          return value.map { ($0, number) }
        }
        step = lock.withLock { readings.finish() }
      }
    }

    fileprivate func receiveChange(announcedBy registration: Int64, _ tracking: ObservationTracking) {
      let step = lock.withLock {
        deliver == nil ? nil : readings.change(announcedBy: registration, on: Platform.currentThread)
      }
      guard let step else { return tracking.cancel() }
      let reading = answer(step)
      // The old registration is cancelled after the new one was made, and before the downstream is called. A change
      // that the downstream makes is then announced only by the new one.
      if step != .ignore { tracking.cancel() }
      if let (value, number) = reading { send(value, number) }
    }

    fileprivate func receivePriorChange(announcedBy registration: Int64) {
      let number = lock.withLock {
        deliver != nil && registration == readings.registration ? readings.number() : nil
      }
      if let number, let object { send(object[keyPath: keyPath], number) }
    }

    // MARK: Sending

    private func send(_ value: Value, _ number: Int64) {
      gate.pass(unless: { demand.hasEnded }) {
        guard let deliver = lock.withLock({ takeDemand(for: number) }) else { return }
        demand.add(deliver(value))
      }
    }

    /// Returns the downstream's closure if the value should be sent. Call it with the lock held.
    private func takeDemand(for number: Int64) -> Deliver? {
      guard let deliver, !readings.isOvertaken(number), demand.take() else { return nil }
      readings.send(number)
      return deliver
    }
  }

  /// A receiver of announcements that does not depend on the generic types of a subscription.
  private protocol ChangeReceiver: AnyObject, Sendable {

    /// Handles a change. It ends the registration unless a reading in progress relies on it.
    func receiveChange(announcedBy registration: Int64, _ tracking: ObservationTracking)

    /// Handles a change that is about to be made.
    func receivePriorChange(announcedBy registration: Int64)
  }

  extension ObservedPropertySubscription: ChangeReceiver {}

  // The object and the key path are constant. All other state is guarded by the lock or atomic. The property is read on
  // the threads that change it, and on the thread that subscribes.
  extension ObservedPropertySubscription: @unchecked Sendable {}

  extension ObservedPropertySubscription: DescribedByName {

    @usableFromInline
    var description: String { "KVOSubscription" }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> {
      let isObserving = lock.withLock { deliver != nil }
      return ["observation": (isObserving ? keyPath : nil) as Any, "demand": demand.value]
    }
  }
#endif
