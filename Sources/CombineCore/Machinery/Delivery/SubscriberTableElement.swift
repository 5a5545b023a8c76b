/// An element of a ``SubscriberTable``. It knows its slot, so that it can be removed in constant time.
@usableFromInline
package class SubscriberTableElement {

  /// For elements that need a gate around the calls to their downstream. Here it shares a word with the index.
  @usableFromInline
  final let gate = Gate()

  /// The index of the slot; negative while there is none. Only the table uses it, with its lock held.
  @exclusivity(unchecked)
  @usableFromInline
  final var tableIndex: Int32 = -1

  @usableFromInline
  init() {}

  // The methods of this class and its subclasses that only call one of a property are there for debug builds: an
  // object that uses an inherited property retains itself.

  @inlinable
  @inline(__always)
  final func enterGateIfFree() -> Bool { gate.enterIfFree() }

  @inlinable
  @inline(__always)
  final func hasEnteredGate() -> Bool { gate.isEntered }

  @inlinable
  @inline(__always)
  @discardableResult
  final func leaveGate() -> Bool { gate.leave() }

  /// See ``CurrentDelivery/begin(_:)``. The caller is inside the gate.
  @inlinable
  @inline(__always)
  final func beginDelivery() -> UnsafeRawPointer? { CurrentDelivery.begin(gate.address) }

  /// Releases what only traversals need. The table calls it after the removal, when no traversal can be inside the element,
  /// with no lock held.
  ///
  /// - Parameter leavesGate: Whether the caller has entered the gate, which is left before the release.
  @usableFromInline
  func releaseContents(leavesGate: Bool) {}

  final func releaseContents() { releaseContents(leavesGate: false) }

  /// Does the same after a removal while traversals are running, if none is inside this element or will be, so that what
  /// the element keeps alive need not wait for the others. A traversal uses the contents only inside the gate, and first
  /// checks whether the subscription has ended. It has.
  @usableFromInline
  func releaseContentsUnlessVisited() {
    if gate.enterUnlessOccupied() { releaseContents(leavesGate: true) }
  }
}

/// An element of a ``SubscriberTable`` for an object of another class, which a traversal uses without a retain.
@usableFromInline
package final class SubscriberTableEntry<Member: AnyObject>: SubscriberTableElement {

  @usableFromInline
  let member: Unmanaged<Member>

  /// Keeps the member alive until the entry is removed and no traversal is inside it.
  @exclusivity(unchecked)
  @usableFromInline
  var kept: Member?

  @inlinable
  package init(_ member: Member) {
    self.member = .passUnretained(member)
    kept = member
    super.init()
  }

  /// Calls `body` with the member, during a traversal.
  @inlinable
  @inline(__always)
  package func use(_ body: (Member) -> Void) {
    member._withUnsafeGuaranteedRef(body)
  }

  @usableFromInline
  override func releaseContents(leavesGate: Bool) {
    kept = nil
  }

  @usableFromInline
  override func releaseContentsUnlessVisited() {}  // A traversal does not enter the gate.
}
