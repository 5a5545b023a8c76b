/// A function in a variable that is called without being retained.
///
/// A function in a plain variable is copied before the call, because the call might replace it. That costs a retain and a
/// release, two atomic operations. This type cannot be copied, so a call borrows the function in place. The owner of the
/// variable makes sure that nobody replaces it meanwhile.
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

  @inlinable
  consuming func release() {}
}
