import CombineThreads

/// The subscribers of a publisher that sends to many, and whose turn it is to send.
///
/// Everything here changes with the lock held, and nothing is called with it held. The thread whose turn it is takes one
/// subscriber after the other from the list and calls it. Others subscribe, request and cancel meanwhile, and wait for nothing
/// but the lock.
///
/// What is removed is released at once, unless a call to it is running. Then the end of that call releases it.
///
/// The class is not generic. Code that is not specialized would look up types at run time. All elements of a table have one
/// class.
@usableFromInline
package class SubscriberTable {

  /// Guards the following properties, and those that a subclass names.
  @usableFromInline
  package final let lock = Lock()

  @exclusivity(unchecked)  // These three: only with the lock held.
  final var list = SubscriberList()

  @exclusivity(unchecked)
  final var turn = Turn()

  /// The object that the elements keep alive together, while the table is not empty.
  @exclusivity(unchecked)
  private(set) final var sustained: AnyObject?

  @usableFromInline
  package init() {}

  deinit { removeAll() }

  /// Adds an element. A walk that is running does not meet it.
  ///
  /// - Parameter step: A closure that returns whether it is added. It runs with the lock held, and calls nothing.
  @usableFromInline
  package final func add(_ element: SubscriberListElement, after step: () -> Bool = { true }) {
    lock.withLock {
      if step() { list.append(element) }
    }
  }

  /// Removes an element. Removing it again does nothing.
  @usableFromInline
  package final func remove(_ element: SubscriberListElement) {
    lock.lock()
    guard element.isListed else { return lock.unlock() }
    list.remove(element)
    let isReleased = element.callCount == 0
    let sustained = list.count == 0 ? takeSustained() : nil
    lock.unlock()
    // With the lock free, as deinitializers may call this table.
    if isReleased { Self.release(element) }
    withExtendedLifetime(sustained) {}
  }

  /// Empties the table.
  @usableFromInline
  package final func removeAll() {
    while let element = lock.withLock({ takeNewest() }) {
      if element.isReleased { Self.release(element.reference.takeUnretainedValue()) }
    }
    let sustained = lock.withLock { list.count == 0 ? takeSustained() : nil }
    withExtendedLifetime(sustained) {}
  }

  private final func takeNewest() -> (reference: Unmanaged<SubscriberListElement>, isReleased: Bool)? {
    var newest: Unmanaged<SubscriberListElement>?
    list.forEachFromLast(as: SubscriberListElement.self) {
      newest = .passUnretained($0)
      return false
    }
    guard let newest else { return nil }
    return newest._withUnsafeGuaranteedRef {
      list.remove($0)
      return (newest, $0.callCount == 0)
    }
  }

  /// In a turn of the calling thread, runs a step with the lock held, and then calls `body` with each element that was in the
  /// table at that step and has not been removed since.
  ///
  /// - Parameters:
  ///   - step: A closure that returns whether `body` is called at all. It calls nothing.
  ///   - body: A closure that is called with each element, with the lock free.
  @usableFromInline
  package final func send(after step: () -> Bool = { true }, _ body: (SubscriberListElement) -> Void) {
    lock.lock()
    takeTurn(on: Platform.currentThread)
    if step() {
      meetEach(as: SubscriberListElement.self) {
        beginCall(to: $0)
        body($0)
        lock.lock()
        endCall(to: $0)
      }
    }
    endTurn()
  }

  // MARK: With the lock held

  /// Calls `body` with each element. It calls nothing that takes this lock.
  @usableFromInline
  package final func forEachLocked(_ body: (SubscriberListElement) -> Void) {
    list.forEachFromLast(as: SubscriberListElement.self) {
      body($0)
      return true
    }
  }

  /// Calls `body` with each element. The closure may release the lock for a call to the element.
  @inline(__always)
  final func meetEach<Element: SubscriberListElement>(as type: Element.Type, _ body: (Element) -> Void) {
    var walk = SubscriberList.Walk()
    withUnsafeMutablePointer(to: &walk) { walk in  // The list keeps this address until the walk ends.
      list.begin(walk)
      while let element = walk.pointee.next {
        unsafeBitCast(element, to: Unmanaged<Element>.self)._withUnsafeGuaranteedRef {
          if walk.pointee.step(to: $0) { body($0) }
        }
      }
      list.endWalk()
    }
  }

  // These are methods for subclasses: in a debug build, a subclass retains itself to use an inherited property.

  /// The number of the newest element.
  final func lastNumber() -> Int64 {
    lock.lock()
    let number = list.lastNumber
    lock.unlock()
    return number
  }

  /// Whether an element has come after the one with a number. Called with the lock held.
  final func hasNewcomer(after number: Int64) -> Bool { list.lastNumber > number }

  /// Takes the lock, and the turn with a walk unless it is another thread's turn.
  @inline(__always)
  final func lockTakingTurn(on thread: UInt, walking walk: UnsafeMutablePointer<SubscriberList.Walk>) -> Bool {
    lock.lock()
    guard turn.take(for: thread) else { return false }
    list.begin(walk)
    return true
  }

  /// Ends the innermost walk and the turn, and releases the lock.
  @inline(__always)
  final func endTurnAndWalk() {
    list.endWalk()
    endTurn()
  }

  /// Takes the turn, and waits for it if it is another thread's.
  final func takeTurn(on thread: UInt) {
    if !turn.take(for: thread) { waitForTurn(on: thread) }
  }

  @inline(never)
  final func waitForTurn(on thread: UInt) {
    let sender = turn.join(as: thread)
    repeat {
      lock.unlock()
      sender.wait()
      lock.lock()
    } while !turn.takeAfterWaiting(isImpatient: sender.isImpatient, for: thread)
  }

  /// Ends the turn, and releases the lock.
  @inline(__always)
  final func endTurn() {
    if turn.endUnlessWaited() { return lock.unlock() }
    handTurnOver()
  }

  @inline(never)
  private final func handTurnOver() {
    let next = turn.end()
    lock.unlock()
    next?.wake()
  }

  /// Counts a call to an element, and releases the lock for it.
  @inline(__always)
  final func beginCall(to element: SubscriberListElement) {
    element.callCount += 1
    lock.unlock()
  }

  /// Takes the lock after a call.
  @inline(__always)
  final func lockAgain() { lock.lock() }

  /// Ends a call. If the element was removed meanwhile, it is released, and the lock is free for a moment.
  @inline(__always)
  final func endCall(to element: SubscriberListElement) {
    element.callCount -= 1
    if !element.isListed, element.callCount == 0 { releaseRemoved(element) }
  }

  @inline(never)
  private final func releaseRemoved(_ element: SubscriberListElement) {
    lock.unlock()
    Self.release(element)
    lock.lock()
  }

  /// Adds an element.
  ///
  /// - Parameter sustained: The object to keep alive while there is any element. It is the same for all.
  final func insert(_ element: SubscriberListElement, sustaining sustained: AnyObject?) {
    list.append(element)
    if list.count == 1 { self.sustained = sustained }
  }

  /// Takes the object that the elements keep alive, to be released with the lock free.
  final func takeSustained() -> AnyObject? { exchange(&sustained, with: nil) }

  // MARK: With the lock free

  /// Releases an element that was removed, and its contents.
  static func release(_ element: SubscriberListElement) {
    element.releaseContents()
    Unmanaged.passUnretained(element).release()
  }
}

/// An element of a ``SubscriberTable`` for an object of another class, which a walk uses without a retain.
@usableFromInline
package final class SubscriberTableEntry<Member: AnyObject>: SubscriberListElement {

  @usableFromInline
  let member: Unmanaged<Member>

  /// Keeps the member alive until the entry is removed and no call is running.
  @exclusivity(unchecked)
  @usableFromInline
  var kept: Member?

  @inlinable
  package init(_ member: Member) {
    self.member = .passUnretained(member)
    kept = member
    super.init()
  }

  /// Calls `body` with the member, in a walk.
  @inlinable
  @inline(__always)
  package func use(_ body: (Member) -> Void) {
    member._withUnsafeGuaranteedRef(body)
  }

  @usableFromInline
  override func releaseContents() {
    kept = nil
  }
}
