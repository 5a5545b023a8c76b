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

  @inlinable
  @inline(__always)
  func receive(_ input: Base.Input) -> Subscribers.Demand {
    base.receive(input)
  }
}
