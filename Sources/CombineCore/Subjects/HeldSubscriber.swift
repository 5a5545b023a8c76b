/// The downstream of an element of a ``SubscriberTable``, which is released at the end of the subscription.
///
/// It is written with the table's lock held, when no traversal can read it. It is read with that lock held, or in a
/// traversal.
@usableFromInline
struct HeldSubscriber<Base: Subscriber>: ~Copyable {

  @usableFromInline
  var borrowed: BorrowedSubscriber<Base>?

  @inlinable
  init(_ base: Base) {
    borrowed = BorrowedSubscriber(base)
  }

  /// Delivers a value, without a retain, in a traversal.
  @inlinable
  @inline(__always)
  func receive(_ input: Base.Input) -> Subscribers.Demand {
    switch borrowed {
    case .some(let borrowed): borrowed.base.receive(input)
    case nil: .none
    }
  }

  /// The subscriber, unless it was released. The lock is held.
  @inlinable
  var base: Base? {
    switch borrowed {
    case .some(let borrowed): borrowed.base
    case nil: nil
    }
  }

  /// Takes the subscriber away, to be released with the lock free. The lock is held.
  @inlinable
  mutating func take() -> Base? {
    let taken = base
    borrowed = nil
    return taken
  }
}

/// A subscriber in a variable that receives values without being retained, for the reasons that ``BorrowedFunction``
/// gives. The owner of the variable makes sure that nobody replaces it meanwhile.
@usableFromInline
struct BorrowedSubscriber<Base: Subscriber>: ~Copyable {

  @usableFromInline
  let base: Base

  @inlinable
  init(_ base: Base) {
    self.base = base
  }
}
