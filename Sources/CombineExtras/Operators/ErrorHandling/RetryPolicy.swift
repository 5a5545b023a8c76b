import CombineCore

/// The number of retries after failures, and the delays between them.
///
/// ```swift
/// let policy = RetryPolicy.exponential(from: .milliseconds(200), multiplier: 2, maximum: .seconds(30), maxRetries: 6)
///   .jittered(by: 0.2)
/// print(policy.delay(beforeRetry: 3))  // prints 0.8 seconds
/// ```
///
/// Pass it to `retry(_:scheduler:options:when:)`.
public struct RetryPolicy: Sendable {

  /// The way in which delays grow from one retry to the next.
  public enum Backoff: Sendable, Hashable {

    /// Each delay is the same.
    case constant(Duration)

    /// The first delay is `initial`. Each further delay is longer by `increment`, up to `maximum`.
    case linear(initial: Duration, increment: Duration, maximum: Duration)

    /// The first delay is `initial`. Each further delay is longer by the factor `multiplier`, up to `maximum`.
    case exponential(initial: Duration, multiplier: Double, maximum: Duration)
  }

  /// The maximum number of retries. `nil` means no limit.
  public var maxRetries: Int?

  /// The way in which delays grow.
  public var backoff: Backoff

  /// The range from which a random factor is chosen for each delay. With `1...1`, delays are not random.
  public var jitter: ClosedRange<Double>

  /// A closure that creates the source of random factors. It is called once for each subscription.
  public var makeGenerator: @Sendable () -> any RandomNumberGenerator

  /// Whether an element starts the count of retries and the growth of delays again.
  ///
  /// Set it for publishers that live long. A connection that has delivered something was then successful.
  public var resetsAfterElement: Bool

  /// Creates a policy.
  ///
  /// ```swift
  /// let policy = RetryPolicy(maxRetries: 3, backoff: .constant(.seconds(1)))
  /// ```
  ///
  /// - Parameters:
  ///   - maxRetries: The maximum number of retries. `nil` means no limit.
  ///   - backoff: The way in which delays grow.
  ///   - jitter: The range from which a random factor is chosen for each delay.
  ///   - resetsAfterElement: Whether an element starts the count of retries and the growth of delays again.
  ///   - makeGenerator: A closure that creates the source of random factors. It is called once for each subscription. A
  ///     test returns a generator with a fixed sequence.
  public init(
    maxRetries: Int?,
    backoff: Backoff,
    jitter: ClosedRange<Double> = 1...1,
    resetsAfterElement: Bool = false,
    makeGenerator: @escaping @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() }
  ) {
    self.maxRetries = maxRetries
    self.backoff = backoff
    self.jitter = jitter
    self.resetsAfterElement = resetsAfterElement
    self.makeGenerator = makeGenerator
  }

  /// Returns a policy with equal delays.
  ///
  /// ```swift
  /// let policy = RetryPolicy.constant(.seconds(1), maxRetries: 3)
  /// ```
  ///
  /// - Parameters:
  ///   - delay: The interval between a failure and the next subscription.
  ///   - maxRetries: The maximum number of retries. `nil` means no limit.
  /// - Returns: A policy without jitter.
  public static func constant(_ delay: Duration, maxRetries: Int?) -> RetryPolicy {
    RetryPolicy(maxRetries: maxRetries, backoff: .constant(delay))
  }

  /// Returns a policy whose delays grow by a factor.
  ///
  /// ```swift
  /// let policy = RetryPolicy.exponential(from: .seconds(1), maxRetries: 5)  // 1 s, 2 s, 4 s, 8 s, 16 s
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The interval between the first failure and the next subscription.
  ///   - multiplier: The factor from one delay to the next.
  ///   - maximum: The longest interval, before jitter is added to it.
  ///   - maxRetries: The maximum number of retries. `nil` means no limit.
  /// - Returns: A policy without jitter.
  public static func exponential(
    from initial: Duration,
    multiplier: Double = 2,
    maximum: Duration = .seconds(60),
    maxRetries: Int?
  ) -> RetryPolicy {
    RetryPolicy(
      maxRetries: maxRetries,
      backoff: .exponential(initial: initial, multiplier: multiplier, maximum: maximum)
    )
  }

  /// Returns this policy with random delays, so that many clients do not retry at the same time.
  ///
  /// ```swift
  /// let policy = RetryPolicy.exponential(from: .seconds(1), maxRetries: 5).jittered(by: 0.5)
  /// ```
  ///
  /// - Parameters:
  ///   - fraction: The largest deviation from the delay, as a fraction of it. It is clamped to the range of 0 to 1.
  ///   - makeGenerator: A closure that creates the source of random factors. It is called once for each subscription. A
  ///     test returns a generator with a fixed sequence.
  /// - Returns: A policy whose delays are multiplied by a random factor from `1 - fraction` to `1 + fraction`.
  public func jittered(
    by fraction: Double,
    using makeGenerator: @escaping @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() }
  ) -> RetryPolicy {
    var policy = self
    let deviation = min(max(fraction, 0), 1)
    policy.jitter = (1 - deviation)...(1 + deviation)
    policy.makeGenerator = makeGenerator
    return policy
  }

  /// Returns the delay before a retry, without jitter.
  ///
  /// ```swift
  /// let policy = RetryPolicy.exponential(from: .seconds(1), maxRetries: 5)
  /// print(policy.delay(beforeRetry: 4))  // prints 8.0 seconds
  /// ```
  ///
  /// - Parameter retry: The number of the retry. The first one is 1.
  /// - Returns: The interval between the failure and the next subscription.
  public func delay(beforeRetry retry: Int) -> Duration {
    switch backoff {
    case .constant(let delay):
      return max(delay, .zero)
    case .linear(let initial, let increment, let maximum):
      return Self.seconds(initial.inSeconds + increment.inSeconds * Double(retry - 1), atMost: maximum)
    case .exponential(let initial, let multiplier, let maximum):
      return Self.seconds(initial.inSeconds * multiplier.power(retry - 1), atMost: maximum)
    }
  }

  /// Returns a duration from zero to a maximum. The growth of delays overflows to infinity, which is the maximum.
  fileprivate static func seconds(_ seconds: Double, atMost maximum: Duration) -> Duration {
    if seconds >= maximum.inSeconds { return max(maximum, .zero) }
    return seconds > 0 ? .seconds(seconds) : .zero
  }
}

/// The pure state of `retry` with a policy, for one subscription.
@usableFromInline
struct RetrySchedule {

  private let policy: RetryPolicy
  private var generator: any RandomNumberGenerator
  var retries = 0

  @usableFromInline
  init(_ policy: RetryPolicy) {
    self.policy = policy
    generator = policy.makeGenerator()
  }

  /// Counts a retry.
  ///
  /// - Parameter hasElements: Whether the attempt that has failed published an element.
  /// - Returns: The delay before it, or `nil` if no retry remains.
  @usableFromInline
  mutating func next(afterElements hasElements: Bool = false) -> Duration? {
    if hasElements, policy.resetsAfterElement { retries = 0 }
    if let maxRetries = policy.maxRetries, retries >= maxRetries { return nil }
    if retries < .max { retries += 1 }
    let delay = policy.delay(beforeRetry: retries)
    guard policy.jitter != 1...1 else { return delay }
    let factor = Double.random(in: policy.jitter, using: &generator)
    return RetryPolicy.seconds(delay.inSeconds * factor, atMost: .seconds(Int64.max / 2))
  }
}

extension Double {

  /// Returns a whole power of this number, which may be infinite.
  fileprivate func power(_ exponent: Int) -> Double {
    var result = 1.0
    var factor = self
    var rest = Swift.max(exponent, 0)
    while rest > 0 {
      if rest & 1 == 1 { result *= factor }
      factor *= factor
      rest >>= 1
    }
    return result
  }
}
