#if !canImport(Darwin)
  /// What a publisher of a property's changes sends besides the value after each change.
  ///
  /// It is spelled, and numbered, as Foundation's option set is, which only exists where Objective-C does.
  public struct NSKeyValueObservingOptions: OptionSet, Hashable, Sendable {

    /// The options as bits.
    public let rawValue: UInt

    /// Creates options from bits.
    ///
    /// - Parameter rawValue: The options as bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// The value after a change. Publishers send it with or without this option.
    public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)

    /// The value before a change, as a part of the notification. It has no effect on a publisher, which sends values.
    public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)

    /// The value at the time of the subscription, before any change.
    public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)

    /// The value just before each change, sent before the change is made.
    public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
  }
#endif
