/// A function in a variable that is called without being retained.
///
/// A closure in a variable is copied before it is called, as the call might replace it: a retain and a release, two
/// atomic operations. This type cannot be copied, so the call borrows it where it is. Whoever declares the variable
/// makes sure that it is not replaced meanwhile.
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
}
