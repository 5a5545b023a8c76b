import Foundation

extension NotificationCenter {

  /// OpenCombine's name for what Combine adds to a notification center.
  ///
  /// ```swift
  /// let name = Notification.Name("DocumentDidSave")
  /// let cancellable = NotificationCenter.default.ocombine.publisher(for: name)
  ///   .sink { print($0.name.rawValue) }
  /// NotificationCenter.default.post(name: name, object: nil)  // prints DocumentDidSave
  /// ```
  public var ocombine: OCombine { OCombine(self) }

  /// A wrapper around a notification center, with the members that Combine adds to the center itself.
  public struct OCombine: Sendable {

    /// The library's publisher of notifications, under its name in OpenCombine.
    public typealias Publisher = NotificationCenter.Publisher

    /// The notification center that is observed.
    public let center: NotificationCenter

    /// Creates a wrapper.
    ///
    /// - Parameter center: The notification center to observe.
    public init(_ center: NotificationCenter) {
      self.center = center
    }

    /// Returns a publisher of the notifications that have a name.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The object that posts the notifications. With `nil`, it may be any object.
    /// - Returns: A publisher that sends each notification on the thread that posts it, and never completes.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
      center.publisher(for: name, object: object)
    }
  }
}
