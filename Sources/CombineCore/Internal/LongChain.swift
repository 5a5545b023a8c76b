// What keeps a long chain of erased publishers from using up the stack.
//
// Each `AnyPublisher` in a row is code of its own, which knows the subscriber that it hands on as a type: that of the
// operator below, which is generic over the subscriber of the operator below that, and so on to the last.

@usableFromInline
enum LongChain {

  /// More than this of nested structures is kept on the heap.
  @usableFromInline
  static var greatestSubscriber: Int { 256 }

  /// Makes the runtime look up what a subscriber receives.
  ///
  /// An operator that receives what the one below it does says so by reference, so that a look-up goes down the chain
  /// as far as no earlier one has been, several kilobytes of stack for each operator. Asked for at every erased
  /// publisher it goes one step.
  @inline(never)
  @_semantics("optimize.sil.specialize.generic.never")
  @usableFromInline
  static func resolve<S: Subscriber>(_ subscriber: S.Type) {
    withExtendedLifetime((S.Input.self, S.Failure.self)) {}
  }

  /// Whether a subscriber is a row of structures, one inside the other, that would be copied to the stack by each
  /// operator that is still to come.
  @inline(never)
  @usableFromInline
  static func isNested<S: Subscriber>(_ subscriber: S.Type) -> Bool {
    subscriber is any TransparentConduit.Type
  }
}

extension Conduits {

  /// A row of structures on the heap; shows itself as the first of them.
  @usableFromInline
  struct Boxed<Downstream: Subscriber>: TransparentConduit {

    @usableFromInline
    typealias Input = Downstream.Input

    @usableFromInline
    typealias Failure = Downstream.Failure

    @usableFromInline
    let box: Lease<Downstream>.Box

    @usableFromInline
    init(_ downstream: Downstream) {
      box = Lease<Downstream>.Box(downstream)
    }

    @usableFromInline
    var downstream: Downstream { _read { yield box.value } }

    @usableFromInline
    var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @usableFromInline
    var description: String { String(describing: downstream) }

    @usableFromInline
    var reflectedChildren: KeyValuePairs<String, Any> {
      (downstream as? any DescribedByName)?.reflectedChildren ?? [:]
    }
  }
}
