/// The downstream of a subject's or a future's subscription, which is released at the end of the subscription.
///
/// Its owner does not know its type. A closure does, which was made, and so specialized, where the type was known. The closure
/// keeps the subscriber in its context. A property of the subscriber's type would make a debug build look up types at run
/// time for each element, and any build for each deinitializer.
///
/// It cannot be copied, so a call borrows the closure in place, without a retain. The owner makes sure that nobody replaces it
/// meanwhile.
@usableFromInline
struct HeldSubscriber: ~Copyable {

  /// What is called. Values and the completion come by their addresses.
  @usableFromInline
  enum Call {

    /// Delivers a value, and returns the demand.
    case deliver(UnsafeRawPointer)

    case complete(UnsafeRawPointer)

    /// Delivers a result and completes.
    case fulfill(UnsafeRawPointer)

    /// Stores the subscriber, for a mirror.
    case reflect(UnsafeMutablePointer<Any?>)
  }

  @usableFromInline
  typealias Function = (Call) -> Subscribers.Demand

  @usableFromInline
  let function: Function

  @inlinable
  init(_ function: @escaping Function) {
    self.function = function
  }

  /// Creates a subscriber.
  @inlinable
  init<Base: Subscriber>(_ base: Base) {
    function = {
      if case .deliver(let value) = $0 {
        return base.receive(value.assumingMemoryBound(to: Base.Input.self).pointee)
      }
      Self.passOther($0, to: base)
      return .none
    }
  }

  // Apart, so that the usual way is short, and as a debug build looks up all types of a function at its beginning.
  @inlinable
  @inline(never)
  static func passOther<Base: Subscriber>(_ call: Call, to base: Base) {
    switch call {
    case .complete(let completion):
      base.receive(completion: completion.assumingMemoryBound(to: Subscribers.Completion<Base.Failure>.self).pointee)
    case .fulfill(let result):
      switch result.assumingMemoryBound(to: Result<Base.Input, Base.Failure>.self).pointee {
      case .success(let value):
        _ = base.receive(value)
        base.receive(completion: .finished)
      case .failure(let error):
        base.receive(completion: .failure(error))
      }
    case .reflect(let reflection):
      reflection.pointee = base
    case .deliver:
      break
    }
  }

  /// Delivers a value. Unlike a caller that reads the function, it does not retain it.
  @inlinable
  @inline(__always)
  func deliver(_ value: UnsafeRawPointer) -> Subscribers.Demand { function(.deliver(value)) }

  /// Takes the subscriber away, to be called for the last time or to be released.
  ///
  /// A caller keeps it in an optional variable. A generic function that returns it, such as that of a lock, would wrap it in
  /// another closure.
  @inlinable
  mutating func take() -> Function {
    let taken = function
    self = Self { _ in .none }
    return taken
  }

  /// The subscriber of a function, for a mirror; `nil` if it was taken away.
  static func reflection(of function: Function) -> Any? {
    var reflection: Any?
    _ = withUnsafeMutablePointer(to: &reflection) { function(.reflect($0)) }
    return reflection
  }
}
