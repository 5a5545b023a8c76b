import Synchronization

/// Where threads sleep that wait for a ``Gate``: for each gate a queue, first come, first served.
///
/// A gate that nobody waits for has no queue, so that it takes twelve bytes. The queues of all gates share a few
/// buckets, each behind a lock.
struct GateQueue {

  /// What a leaving thread has to do; written with the lock of the gate's bucket held.
  struct Flags {

    /// Somebody is in the queue.
    static var queued: UInt32 { 1 }

    /// A thread was taken from the queue and woken, and has not looked at the gate yet. Nobody else need be woken.
    static var woken: UInt32 { 2 }

    /// The first in the queue is to be handed the gate.
    static var impatient: UInt32 { 4 }

    /// There is work for the thread that leaves.
    static var delegated: UInt32 { 8 }

    /// Those that the queue does not say.
    static var kept: UInt32 { woken | delegated }
  }

  /// What a sleeping thread is told.
  enum Signal: UInt32 {
    case none

    /// To try to enter.
    case tryAgain

    /// To look whether the connection has ended.
    case lookAgain

    /// It is inside.
    case entered
  }

  /// One waiting thread.
  final class Waiter {

    let thread: UInt
    let gate: UnsafeRawPointer
    private let place = ParkingPlace()

    // These two: only with the bucket's lock held.
    var isQueued = false
    var isImpatient = false

    init(thread: UInt, gate: UnsafeRawPointer) {
      self.thread = thread
      self.gate = gate
    }

    /// What the thread was told; with the bucket's lock held, or by the thread itself.
    var signal: Signal {
      get { Signal(rawValue: place.value) ?? .none }
      set { place.value = newValue.rawValue }
    }

    func sleep(nanoseconds: Int64?) { place.sleep(nanoseconds: nanoseconds) }

    func wake() { place.wake() }
  }

  /// The queues of some gates.
  final class Bucket {

    let lock = Lock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var waiters: [Waiter] = []

    /// Puts a thread into its gate's queue: behind the others, or in front of them if it was in the queue before.
    func insert(_ waiter: Waiter, inFront: Bool) {
      waiter.isQueued = true
      waiter.signal = .none
      if inFront { waiters.insert(waiter, at: 0) } else { waiters.append(waiter) }
    }

    func first(at gate: UnsafeRawPointer) -> Waiter? {
      waiters.first { $0.gate == gate }
    }

    func count(at gate: UnsafeRawPointer) -> Int {
      waiters.count { $0.gate == gate }
    }

    func remove(_ waiter: Waiter) {
      guard waiter.isQueued, let index = waiters.firstIndex(where: { $0 === waiter }) else { return }
      waiter.isQueued = false
      waiters.remove(at: index)
    }

    func removeAll(at gate: UnsafeRawPointer) -> [Waiter] {
      let removed = waiters.filter { $0.gate == gate }
      waiters.removeAll { $0.gate == gate }
      for waiter in removed { waiter.isQueued = false }
      return removed
    }
  }

  private static let buckets = (0..<64).map { _ in Bucket() }

  static func bucket(of gate: UnsafeRawPointer) -> Bucket {
    buckets[Int(bitPattern: gate) >> 4 & 63]
  }
}

// Each is touched with its bucket's lock held, or by the one thread that sleeps in it.
extension GateQueue.Waiter: @unchecked Sendable {}

// The queue is behind the lock.
extension GateQueue.Bucket: @unchecked Sendable {}

extension Gate {

  /// How long a thread waits before it is handed the gate, in nanoseconds.
  private static var patience: Int64 { 1_000_000 }

  /// How often a thread looks at the gate before it sleeps, and for how many microseconds it keeps away in between: so
  /// the owner's cache line stays with the owner.
  private static var looks: Int { 5 }
  private static var pause: Int { 4 }

  /// What tells this gate from the others. A gate is a stored property of an object and never moves.
  private var address: UnsafeRawPointer {
    withUnsafePointer(to: self) { UnsafeRawPointer($0) }
  }

  /// How many threads sleep.
  var waitingCount: Int {
    let bucket = GateQueue.bucket(of: address)
    return bucket.lock.withLock { bucket.count(at: address) }
  }

  @inline(never)
  @usableFromInline
  func enterOccupied(as thread: UInt, unless hasEnded: () -> Bool) -> Entry {
    if owner.load(ordering: .relaxed) == thread { return .nested }
    let isIn = InterleavingPoint.wait { tryEnter(as: thread) ? true : hasEnded() ? false : nil }
    if let isIn { return isIn ? .outermost : .refused }
    return spin(as: thread, unless: hasEnded) ?? wait(as: thread, unless: hasEnded)
  }

  private func tryEnter(as thread: UInt) -> Bool {
    owner.load(ordering: .relaxed) == 0
      && owner.compareExchange(expected: 0, desired: thread, ordering: .sequentiallyConsistent).exchanged
  }

  /// Looks at the gate a few times.
  private func spin(as thread: UInt, unless hasEnded: () -> Bool) -> Entry? {
    if InterleavingPoint.isDirected { return nil }
    for _ in 0..<Self.looks {
      if tryEnter(as: thread) { return .outermost }
      if hasEnded() { return .refused }
      Platform.spin(microseconds: Self.pause)
    }
    return nil
  }

  /// Sleeps until this thread is inside or the connection has ended.
  private func wait(as thread: UInt, unless hasEnded: () -> Bool) -> Entry {
    let bucket = GateQueue.bucket(of: address)
    let waiter = GateQueue.Waiter(thread: thread, gate: address)
    let start = ContinuousClock.now
    var isBack = false
    while true {
      bucket.lock.withLock {
        bucket.insert(waiter, inFront: isBack)
        updateFlags(in: bucket)
      }
      Platform.fenceAllThreads()
      InterleavingPoint.gateStep.reach()
      if hasEnded() { return withdraw(waiter, from: bucket) }
      if tryEnter(as: thread) {
        withdrawn(waiter, from: bucket)
        return .outermost
      }
      switch sleep(waiter, in: bucket, since: start) {
      case .entered:
        // Acquires what the thread that handed it over has written.
        precondition(owner.load(ordering: .acquiring) == thread)
        guard hasEnded() else { return .outermost }
        leave()
        return .refused
      case .tryAgain:
        withdrawn(waiter, from: bucket)
        if let entry = spin(as: thread, unless: hasEnded) {
          if entry == .refused { passOn() }
          return entry
        }
      case .lookAgain, .none:
        break
      }
      isBack = true
    }
  }

  /// Sleeps until somebody signals this thread, which after a while becomes impatient.
  private func sleep(_ waiter: GateQueue.Waiter, in bucket: GateQueue.Bucket, since start: ContinuousClock.Instant)
    -> GateQueue.Signal
  {
    let waited = start.duration(to: .now).components
    let left = Self.patience - (waited.seconds * 1_000_000_000 + waited.attoseconds / 1_000_000_000)
    if left > 0, waiter.signal == .none {
      waiter.sleep(nanoseconds: left)
      // An early wake-up would do no harm: the thread becomes impatient a little early.
    }
    bucket.lock.withLock {
      guard waiter.isQueued else { return }
      waiter.isImpatient = true
      updateFlags(in: bucket)
    }
    while waiter.signal == .none { waiter.sleep(nanoseconds: nil) }
    return waiter.signal
  }

  /// Takes a thread out of the queue that goes without having entered.
  private func withdraw(_ waiter: GateQueue.Waiter, from bucket: GateQueue.Bucket) -> Entry {
    switch withdrawn(waiter, from: bucket) {
    case .entered: leave()
    case .tryAgain: passOn()
    case .none, .lookAgain: break
    }
    return .refused
  }

  /// Takes a thread out of the queue, or notes that it has seen that it was taken.
  @discardableResult
  private func withdrawn(_ waiter: GateQueue.Waiter, from bucket: GateQueue.Bucket) -> GateQueue.Signal {
    bucket.lock.withLock {
      bucket.remove(waiter)
      updateFlags(in: bucket, clearing: waiter.signal == .tryAgain ? GateQueue.Flags.woken : 0)
      return waiter.signal
    }
  }

  /// Wakes the next thread in place of this one, which was woken and has no use for it.
  private func passOn() {
    Platform.fenceAllThreads()
    if owner.load(ordering: .relaxed) == 0 { wakeFirst() }
  }

  /// Sets the flags as the queue is. Called with the bucket's lock held.
  private func updateFlags(in bucket: GateQueue.Bucket, clearing cleared: UInt32 = 0, setting set: UInt32 = 0) {
    let first = bucket.first(at: address)
    var flags = waiting.load(ordering: .relaxed) & GateQueue.Flags.kept & ~cleared | set
    if let first {
      flags |= first.isImpatient ? GateQueue.Flags.queued | GateQueue.Flags.impatient : GateQueue.Flags.queued
    }
    waiting.store(flags, ordering: .sequentiallyConsistent)
  }

  // MARK: On the way out

  /// Leaves the gate while somebody waits or has left work: hands it over to an impatient thread, or frees it and wakes
  /// one.
  ///
  /// - Returns: Whether there is work for the calling thread. With the gate, the work is handed over too.
  @inline(never)
  @usableFromInline
  func leaveContended() -> Bool {
    if waiting.load(ordering: .relaxed) & GateQueue.Flags.impatient != 0, transfer() { return false }
    free()
    return didLeaveContended()
  }

  /// Wakes a thread that waits for a gate that was left, if need be.
  ///
  /// - Returns: Whether there is work for the calling thread.
  @inline(never)
  @usableFromInline
  func didLeaveContended() -> Bool {
    if waiting.load(ordering: .relaxed) & GateQueue.Flags.woken == 0 { wakeFirst() }
    return waiting.load(ordering: .relaxed) & GateQueue.Flags.delegated != 0 && takeDelegated()
  }

  private func takeDelegated() -> Bool {
    let bucket = GateQueue.bucket(of: address)
    return bucket.lock.withLock {
      let isSet = waiting.load(ordering: .relaxed) & GateQueue.Flags.delegated != 0
      updateFlags(in: bucket, clearing: GateQueue.Flags.delegated)
      return isSet
    }
  }

  /// Leaves work to the thread that is inside, unless that has left meanwhile.
  ///
  /// - Returns: Whether this thread has entered.
  @inline(never)
  @usableFromInline
  func delegate() -> Bool {
    let bucket = GateQueue.bucket(of: address)
    bucket.lock.withLock { updateFlags(in: bucket, setting: GateQueue.Flags.delegated) }
    // As with a thread that goes to sleep: a thread that is found inside after this sees the flag when it leaves.
    Platform.fenceAllThreads()
    InterleavingPoint.gateStep.reach()
    return tryEnter(as: Platform.currentThread)
  }

  private func transfer() -> Bool {
    let bucket = GateQueue.bucket(of: address)
    let next = bucket.lock.withLock { () -> GateQueue.Waiter? in
      guard let first = bucket.first(at: address), first.isImpatient else { return nil }
      bucket.remove(first)
      updateFlags(in: bucket)
      owner.store(first.thread, ordering: .releasing)
      first.signal = .entered
      return first
    }
    next?.wake()
    return next != nil
  }

  /// Wakes the first in the queue of a gate that was left. An impatient one is handed the gate, if that is still free.
  private func wakeFirst() {
    let bucket = GateQueue.bucket(of: address)
    let next = bucket.lock.withLock { () -> GateQueue.Waiter? in
      guard waiting.load(ordering: .relaxed) & GateQueue.Flags.woken == 0 else { return nil }
      guard let first = bucket.first(at: address) else { return nil }
      if first.isImpatient {
        // If somebody has entered meanwhile, that thread hands the gate over when it leaves.
        guard tryEnter(as: first.thread) else { return nil }
        bucket.remove(first)
        updateFlags(in: bucket)
        first.signal = .entered
      } else {
        bucket.remove(first)
        updateFlags(in: bucket, setting: GateQueue.Flags.woken)
        first.signal = .tryAgain
      }
      return first
    }
    next?.wake()
  }

  /// Wakes all that wait, to look whether the connection has ended.
  @inline(never)
  @usableFromInline
  func wakeAll() {
    let bucket = GateQueue.bucket(of: address)
    let woken = bucket.lock.withLock {
      let removed = bucket.removeAll(at: address)
      updateFlags(in: bucket)
      for waiter in removed { waiter.signal = .lookAgain }
      return removed
    }
    for waiter in woken { waiter.wake() }
  }
}
