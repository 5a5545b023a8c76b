import CombineCore

extension Publisher {

  /// Divides the elements among publishers of consecutive elements.
  ///
  /// A window is published when its first element arrives, and finishes with its last one. Windows overlap if `step` is
  /// less than `count`. If it is greater, elements between two windows are dropped. The open windows complete as this
  /// publisher does.
  ///
  /// Each window publishes to one subscriber. Elements wait for it, and go to it as it has demand. The operator
  /// requests as many elements as the requested windows need, so that many can wait.
  ///
  /// When the subscriber of the windows cancels, windows that are subscribed to go on, and no new window opens. The
  /// upstream is cancelled when no subscriber is left. A window that nobody has subscribed to by then finishes after
  /// its elements. A failure waits for the windows that are published before it. For arrays instead of publishers, use
  /// `collect(_:every:)`.
  ///
  /// ```swift
  /// marbles(outputs: ["p": "0a", "q": "0b", "r": "1c", "s": "1d", "t": "2e"]) {
  ///   "a-b-c-d-e-|"
  ///   $0[0].window(2).enumerated().flatMap { window in window.element.map { "\(window.index)\($0)" } }
  ///   "p-q-r-s-t-|"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - count: The maximum number of elements in a window. It must be positive.
  ///   - step: The number of elements from the beginning of a window to that of the next one. It must be positive. With
  ///     `nil`, the default, windows follow one another.
  /// - Returns: A publisher of windows.
  @inlinable
  public func window(_ count: Int, every step: Int? = nil) -> ExtraPublishers.WindowByCount<Self> {
    ExtraPublishers.WindowByCount(upstream: self, count: count, step: step ?? count)
  }
}

extension ExtraPublishers {

  /// A publisher that divides the elements of its upstream among publishers of consecutive elements.
  public struct WindowByCount<Upstream: Publisher>: Publisher {

    /// The kind of values this publisher publishes: a window.
    public typealias Output = WindowPublisher<Upstream.Output, Upstream.Failure>

    /// The kind of errors this publisher can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose elements are divided.
    public let upstream: Upstream

    /// The maximum number of elements in a window.
    public let count: Int

    /// The number of elements from the beginning of a window to that of the next one.
    public let step: Int

    /// Creates a publisher that divides another publisher's elements among windows.
    ///
    /// - Parameters:
    ///   - upstream: The publisher whose elements are divided.
    ///   - count: The maximum number of elements in a window. It must be positive.
    ///   - step: The number of elements from the beginning of a window to that of the next one. It must be positive.
    @inlinable
    public init(upstream: Upstream, count: Int, step: Int) {
      requirePositive(count, "WindowByCount: count")
      requirePositive(step, "WindowByCount: step")
      self.upstream = upstream
      self.count = count
      self.step = step
    }

    /// Subscribes `subscriber` to the upstream through this operator.
    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribeConduit(
        ExtraConduits.Windows<Upstream.Output, S>(
          downstream: subscriber,
          count: count,
          opening: .everyElements(step)
        )
      )
    }
  }
}
