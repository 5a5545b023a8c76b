#if !canImport(Darwin)
  /// The values that a publisher of a property sends in addition to the value after each change.
  ///
  /// The names and raw values are those of Foundation's option set, which exists only with Objective-C.
  public struct NSKeyValueObservingOptions: OptionSet, Hashable, Sendable {

    /// The options as a bit mask.
    public let rawValue: UInt

    /// Creates options from a bit mask.
    ///
    /// - Parameter rawValue: The options as a bit mask.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// The value after a change. A publisher sends it even without this option.
    public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)

    /// The value before a change, as a part of the notification. A publisher sends only values, so it ignores this
    /// option.
    public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)

    /// The value at the time of the subscription, before any change.
    public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)

    /// The value before each change, which is sent just before the change is made.
    public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
  }
#endif
