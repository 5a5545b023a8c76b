/// A property wrapper that publishes the changes of a class's property.
///
/// ```swift
/// final class Weather {
///   @Published var temperature = 20.0
/// }
/// let weather = Weather()
/// let cancellable = weather.$temperature.sink { print($0) }  // prints 20.0
/// weather.temperature = 25  // prints 25.0
/// ```
///
/// `$property` sends the present value first and then each new one, *before* the property has it. It never ends.
@propertyWrapper
public struct Published<Value> {

  /// Behind a reference, so that a copy of the wrapper, as reflection makes one, shares value and subscribers.
  @usableFromInline
  let subject: PublishedSubject<Value>

  /// Creates a property with a value.
  ///
  /// - Parameter initialValue: The value.
  @inlinable
  public init(initialValue: Value) {
    subject = PublishedSubject(initialValue)
  }

  /// Creates a property with a value.
  ///
  /// - Parameter wrappedValue: The value.
  @inlinable
  public init(wrappedValue: Value) {
    self.init(initialValue: wrappedValue)
  }

  /// Unavailable: a property outside a class has nobody to publish for.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@Published is only available on properties of classes") }
    set { fatalError("@Published is only available on properties of classes") }
  }

  /// The publisher of the property, written `$property`. Setting it has no effect; it can be set so that
  /// `&object.$property` can be handed to ``Publisher/assign(to:)``.
  @inlinable
  public var projectedValue: Publisher {
    mutating get { Publisher(subject: subject) }
    set {}
  }

  /// The property in its object: how `object.property` reads and writes.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - wrappedKeyPath: The property; not used.
  ///   - storageKeyPath: The wrapper.
  @inlinable
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    // Each access reads a copy of the wrapper, so none is held while subscribers are called.
    get { object[keyPath: storageKeyPath].subject.value }
    set { object[keyPath: storageKeyPath].subject.send(newValue) }
  }
}

extension Published {

  /// A publisher of the changes of a property.
  public struct Publisher: CombineCore.Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Value

    /// A property cannot fail.
    public typealias Failure = Never

    @usableFromInline
    let subject: PublishedSubject<Value>

    @inlinable
    init(subject: PublishedSubject<Value>) {
      self.subject = subject
    }

    /// Subscribes `subscriber`, which receives the current value with its first demand.
    ///
    /// - Parameter subscriber: The subscriber.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      let conduit = Conduits.Subject<S, CurrentValueNotes>(table: subject.table, downstream: subscriber)
      subject.attach(conduit)
      conduit.notes.handingOver { subscriber.receive(subscription: conduit) }
    }
  }
}

// The subject inside is safe to share: its state is in atomics and behind locks.
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}

extension Publisher where Failure == Never {

  /// Writes each value to a published property, for as long as the property exists.
  ///
  /// ```swift
  /// final class Clock { @Published var time = 0 }
  /// let clock = Clock()
  /// [1, 2].publisher.assign(to: &clock.$time)
  /// ```
  ///
  /// Unlike ``assign(to:on:)`` it keeps nothing alive and returns nothing to keep; the completion is ignored.
  ///
  /// - Parameter published: The property, given as `&object.$property`.
  public func assign(to published: inout Published<Output>.Publisher) {
    subscribe(PublishedSubscriber(published.subject))
  }
}
