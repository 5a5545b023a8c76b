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
/// `$property` publishes the current value first, and then each new value *before* the property has it. It never
/// completes.
@propertyWrapper
public struct Published<Value> {

  /// A reference, so that a copy of the wrapper shares the value and the subscribers. Reflection makes such copies.
  @usableFromInline
  let subject: PublishedSubject<Value>

  /// Creates a published property with an initial value.
  ///
  /// - Parameter initialValue: The initial value.
  @inlinable
  public init(initialValue: Value) {
    subject = PublishedSubject(initialValue)
  }

  /// Creates a published property with an initial value.
  ///
  /// - Parameter wrappedValue: The initial value.
  @inlinable
  public init(wrappedValue: Value) {
    self.init(initialValue: wrappedValue)
  }

  /// The value, which is unavailable here.
  ///
  /// It is so because only a property of a class can publish its changes.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("@Published is only available on properties of classes") }
    set { fatalError("@Published is only available on properties of classes") }
  }

  /// The publisher of the property, written `$property`.
  ///
  /// Setting it has no effect. The setter exists so that `&object.$property` can be passed to
  /// ``Publisher/assign(to:)``.
  @inlinable
  public var projectedValue: Publisher {
    mutating get { Publisher(subject: subject) }
    set {}
  }

  /// The value of the property in its object.
  ///
  /// Reads and writes of `object.property` call this subscript.
  ///
  /// - Parameters:
  ///   - object: The object that has the property.
  ///   - wrappedKeyPath: The key path of the property. It is not used.
  ///   - storageKeyPath: The key path of the wrapper.
  @inlinable
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    // Each access reads a copy of the wrapper, so no access to the property is in progress while subscribers are
    // called.
    get { object[keyPath: storageKeyPath].subject.core.value }
    set { object[keyPath: storageKeyPath].subject.send(newValue) }
  }
}

extension Published {

  /// A publisher of the values of a property.
  public struct Publisher: CombineCore.Publisher {

    /// The kind of values this publisher publishes.
    public typealias Output = Value

    /// The kind of errors this publisher can fail with: none.
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
      subject.receive(subscriber: subscriber)
    }
  }
}

// The subject is safe to share, because atomics and locks guard its state.
extension Published.Publisher: @unchecked Sendable where Value: Sendable {}

extension Publisher where Failure == Never {

  /// Assigns each element to a published property, for as long as the property exists.
  ///
  /// ```swift
  /// final class Clock { @Published var time = 0 }
  /// let clock = Clock()
  /// [1, 2].publisher.assign(to: &clock.$time)
  /// ```
  ///
  /// Unlike ``assign(to:on:)``, it keeps no object alive and returns no cancellable. It ignores the completion.
  ///
  /// - Parameter published: The property, passed as `&object.$property`.
  @inlinable
  public func assign(to published: inout Published<Output>.Publisher) {
    _ = connect(published.subject, as: .property)
  }
}
