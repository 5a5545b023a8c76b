// What is in a variable is copied before it is called, as the call might replace it: a retain and a release, two atomic
// operations. These types cannot be copied, so the call borrows what they hold where it is. Whoever declares the
// variable makes sure that it is not replaced meanwhile.

/// A function in a variable that is called without being retained.
@usableFromInline
struct BorrowedFunction<Input>: ~Copyable {

  @usableFromInline
  let function: (Input) -> Void

  @inlinable
  init(_ function: @escaping (Input) -> Void) {
    self.function = function
  }

  @inlinable
  @inline(__always)
  func callAsFunction(_ input: Input) {
    function(input)
  }

  /// Puts another function in its place.
  ///
  /// - Returns: The old one. (Not the closure itself, which a generic function that keeps it alive would wrap in another
  ///   one, for one allocation.)
  @inlinable
  mutating func replace(with function: @escaping (Input) -> Void) -> Self {
    let old = consume self
    self = BorrowedFunction(function)
    return old
  }

  @inlinable
  consuming func release() {}
}

/// A subscriber in a variable that is sent values without being retained.
@usableFromInline
struct BorrowedSubscriber<Base: Subscriber>: ~Copyable {

  @usableFromInline
  let base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
  }

  @inlinable
  @inline(__always)
  func receive(_ input: Base.Input) -> Subscribers.Demand {
    base.receive(input)
  }
}
