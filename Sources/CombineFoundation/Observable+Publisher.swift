#if !canImport(Darwin)
  import CombineCore
  // What the module offers without this name tells that a change is about to be made, which is too early to read the
  // property and gives no sign when it is time to. These two declarations tell both before and after:
  // `withObservationTracking(_:didSet:)`, `withObservationTracking(_:willSet:didSet:)`. They are part of the module in
  // every toolchain for the platforms that this package is for.
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
    /// It is for `@Observable` classes what the publisher of the same name is for objects with key-value observing. The
    /// property may be computed from others of this or of other observable objects, and the key path may lead through
    /// several of them: a change of any is a change of the property.
    ///
    /// - A value is sent after each change, on the thread that makes it, inside the assignment; `receive(on:)` takes it
    ///   elsewhere. Assigning a value that is equal to the present one is no change, for a type with `==`.
    /// - If several threads change the property at the same time (the object must be made for that), a value in between
    ///   may be left out and one may be sent twice; but the last value sent is the last that the property got.
    ///   Only for a key path through several objects, if one in the middle is replaced at that time, what changes in the
    ///   new one may go unseen until the next change that is announced.
    /// - What changes while a subscriber has no demand is not sent to it later, except for the first value with the
    ///   option `initial`, which waits for the first request.
    /// - The publisher holds the object, a subscription does not. The publisher never ends, not even with the object.
    /// - A subscription that was cancelled leaves a small object behind in the property until that changes.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - options: Whether the value at subscription (`initial`) and the value before each change (`prior`) are sent
    ///     too.
    /// - Returns: A publisher of the property's values.
    public func publisher<Value>(
      for keyPath: KeyPath<Self, Value>,
      options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> Publishers.ObservedProperty<Self, Value> {
      Publishers.ObservedProperty(object: self, keyPath: keyPath, options: options)
    }

    /// Returns a publisher of the values of a property, which sends them on a scheduler.
    ///
    /// ```swift
    /// @Observable final class Download {
    ///   var progress = 0.0
    /// }
    /// let download = Download()
    /// let cancellable = download.publisher(for: \.progress, on: DispatchQueue.main)
    ///   .sink { print($0) }  // prints 0.0, and what the progress is after each change, on the main queue
    /// ```
    ///
    /// A value is read when the property changes, and sent later, in the order of the changes: when it arrives, the
    /// property may have the next one already. Otherwise this is ``publisher(for:options:)``.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the property.
    ///   - options: Whether the value at subscription (`initial`) and the value before each change (`prior`) are sent
    ///     too.
    ///   - scheduler: What sends the values.
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

      /// The object that has the property.
      public let object: Object

      /// The property.
      public let keyPath: KeyPath<Object, Value>

      /// What is sent besides the value after each change.
      public let options: NSKeyValueObservingOptions

      /// Creates a publisher of the values of a property.
      ///
      /// - Parameters:
      ///   - object: The object that has the property.
      ///   - keyPath: The key path of the property.
      ///   - options: What is sent besides the value after each change.
      public init(object: Object, keyPath: KeyPath<Object, Value>, options: NSKeyValueObservingOptions) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
      }

      /// Starts to observe the property, and sends the subscriber a subscription.
      @inlinable
      public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
        let subscription = ObservedPropertySubscription(self) { subscriber.receive($0) }
        subscriber.receive(subscription: subscription)
      }

      /// Returns a publisher that tells of the changes without saying to what.
      ///
      /// - Returns: A publisher of an empty value for each value of this one.
      @inlinable
      public func didChange() -> Publishers.Map<Self, Void> {
        map { _ in }
      }
    }
  }

  extension Publishers.ObservedProperty: Equatable {

    /// Whether both observe the same property of the identical object with the same options.
    public static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.object === rhs.object && lhs.keyPath == rhs.keyPath && lhs.options == rhs.options
    }
  }

  /// The subscription of one subscriber to the values of a property.
  ///
  /// What is registered with the property holds this weakly, and this holds the object weakly: whoever drops the
  /// subscription gets no more values, and nobody is kept alive.
  @usableFromInline
  final class ObservedPropertySubscription<Object: Observable & AnyObject, Value>: Subscription {

    /// A function that calls the downstream. It is made where the downstream's type is known.
    @usableFromInline
    typealias Deliver = (Value) -> Subscribers.Demand

    /// A value that was read, and when: the first reading is number 1.
    private typealias Reading = (value: Value, number: Int)

    @exclusivity(unchecked)  // Never written after `init`, and reading a weak reference is safe from any thread.
    private weak var object: Object?

    private let keyPath: KeyPath<Object, Value>
    private let sendsPrior: Bool

    private let demand = DemandCounter()
    private let gate = Gate()
    private let lock = Lock()

    @exclusivity(unchecked)  // These three: only with the lock held.
    private var readings = PropertyReadings()

    /// Nothing once cancelled.
    @exclusivity(unchecked)
    private var deliver: Deliver?

    /// The value at subscription, until the first request.
    @exclusivity(unchecked)
    private var first: Reading?

    @usableFromInline
    init(_ publisher: Publishers.ObservedProperty<Object, Value>, deliver: @escaping Deliver) {
      object = publisher.object
      keyPath = publisher.keyPath
      sendsPrior = publisher.options.contains(.prior)
      self.deliver = deliver

      lock.withLock { readings.start(on: Platform.currentThread) }
      // Read twice: nobody announces what is changed before the registration.
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

    /// Reads the property, in such a way that its next change is announced.
    private func read(registering registration: Int) -> Value? {
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

    /// Reads the property, again if another thread changes it meanwhile.
    ///
    /// - Parameter step: What to begin with.
    /// - Returns: The present value and its number; nothing if the object is gone.
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

    fileprivate func receiveChange(announcedBy registration: Int, _ tracking: ObservationTracking) {
      let step = lock.withLock {
        deliver == nil ? nil : readings.change(announcedBy: registration, on: Platform.currentThread)
      }
      guard let step else { return tracking.cancel() }
      let reading = answer(step)
      // Once there is a new registration, and before the downstream is called: what it changes is announced by the new
      // one alone.
      if step != .ignore { tracking.cancel() }
      if let (value, number) = reading { send(value, number) }
    }

    fileprivate func receivePriorChange(announcedBy registration: Int) {
      let number = lock.withLock {
        deliver != nil && registration == readings.registration ? readings.number() : nil
      }
      if let number, let object { send(object[keyPath: keyPath], number) }
    }

    // MARK: Sending

    private func send(_ value: Value, _ number: Int) {
      gate.pass(unless: { demand.hasEnded }) {
        guard let deliver = lock.withLock({ takeDemand(for: number) }) else { return }
        demand.add(deliver(value))
      }
    }

    /// The downstream, for a value that is to be sent. Called with the lock held.
    private func takeDemand(for number: Int) -> Deliver? {
      guard let deliver, !readings.isOvertaken(number), demand.take() else { return nil }
      readings.send(number)
      return deliver
    }
  }

  /// What announces changes to a subscription: it does not know the types.
  private protocol ChangeReceiver: AnyObject, Sendable {

    /// A change was made. Ends the registration, unless a reading that is under way relies on it.
    func receiveChange(announcedBy registration: Int, _ tracking: ObservationTracking)

    /// A change is about to be made.
    func receivePriorChange(announcedBy registration: Int)
  }

  extension ObservedPropertySubscription: ChangeReceiver {}

  // The object and the key path are constant, the rest is guarded by the lock or atomic. The property is read on the
  // threads that change it, and where the subscriber is attached.
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
