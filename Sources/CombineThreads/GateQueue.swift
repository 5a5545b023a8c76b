import Synchronization

/// The queues of the threads that wait for a ``Gate``, in order of arrival.
///
/// A gate takes nine bytes, as it has a queue only while a thread waits. The queues of all gates share a few buckets,
/// each with a lock.
struct GateQueue {

  /// What a leaving thread has to do. Written with the lock of the gate's bucket held.
  struct Flags {

    /// A thread is in the queue.
    static var queued: UInt8 { 1 }

    /// A thread was taken out of the queue and woken, and has not tried to enter yet. No other thread need be woken.
    static var woken: UInt8 { 2 }

    /// The first thread in the queue is impatient: the leaving thread makes it the owner.
    static var impatient: UInt8 { 4 }

    /// There is delegated work for the leaving thread.
    static var delegated: UInt8 { 8 }

    /// The flags that do not follow from the queue.
    static var kept: UInt8 { woken | delegated }
  }

  /// What a woken thread does.
  enum Signal: UInt32 {
    case none

    /// It tries to enter.
    case tryAgain

    /// It checks whether the connection has ended.
    case lookAgain

    /// It is inside: it was made the owner.
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

    /// The signal. Used with the bucket's lock held, or by the thread itself.
    var signal: Signal {
      get { Signal(rawValue: place.value) ?? .none }
      set { place.value = newValue.rawValue }
    }

    func sleep(nanoseconds: Int64?) { place.sleep(nanoseconds: nanoseconds) }

    func wake() { place.wake() }
  }

  /// The queues of some gates.
  final class Bucket {

    let lock = SystemLock()

    @exclusivity(unchecked)  // Only with the lock held.
    private var waiters: [Waiter] = []

    /// Puts a thread at the end of its gate's queue, or at the front if it was in the queue before.
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

// Used with the bucket's lock held, or by the thread that sleeps in it.
extension GateQueue.Waiter: @unchecked Sendable {}

// The lock guards the queue.
extension GateQueue.Bucket: @unchecked Sendable {}

extension Gate {

  /// The time after which a waiting thread is impatient.
  static var patience: Duration { .milliseconds(1) }

  /// The number of attempts before a thread sleeps, and the microseconds between two of them. A waiting thread backs off
  /// between two attempts, so that the owner's cache line stays with the owner.
  private static var looks: Int { 5 }
  private static var pause: Int { 4 }

  /// The number of sleeping threads.
  var waitingCount: Int {
    let bucket = GateQueue.bucket(of: address)
    return bucket.lock.withLock { bucket.count(at: address) }
  }

  @inline(never)
  @usableFromInline
  func enterOccupied(as thread: UInt, unless hasEnded: () -> Bool) -> Entry {
    if isEntered { return .nested }
    let isIn = InterleavingPoint.wait { claim(for: thread) ? true : hasEnded() ? false : nil }
    if let isIn { return isIn ? .outermost : .refused }
    return spin(as: thread, unless: hasEnded) ?? wait(as: thread, unless: hasEnded)
  }

  /// Tries to enter a few times.
  private func spin(as thread: UInt, unless hasEnded: () -> Bool) -> Entry? {
    if InterleavingPoint.isDirected { return nil }
    for _ in 0..<Self.looks {
      if claim(for: thread) { return .outermost }
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
      if claim(for: thread) {
        withdrawn(waiter, from: bucket)
        return .outermost
      }
      switch sleep(waiter, in: bucket, since: start) {
      case .entered:
        // Acquires the writes of the thread that was inside before.
        precondition(owner.load(ordering: .acquiring) == thread)
        return .outermost
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

  /// Sleeps until another thread signals this one. After a while this thread becomes impatient.
  private func sleep(_ waiter: GateQueue.Waiter, in bucket: GateQueue.Bucket, since start: ContinuousClock.Instant)
    -> GateQueue.Signal
  {
    let left = Self.patience - start.duration(to: .now)
    if left > .zero, waiter.signal == .none {
      waiter.sleep(nanoseconds: left.components.attoseconds / 1_000_000_000)
      // An early wake-up does no harm: the thread becomes impatient a little early.
    }
    bucket.lock.withLock {
      guard waiter.isQueued else { return }
      waiter.isImpatient = true
      updateFlags(in: bucket)
    }
    while waiter.signal == .none { waiter.sleep(nanoseconds: nil) }
    return waiter.signal
  }

  /// Takes a thread out of the queue whose connection has ended. If it has become the owner meanwhile, it is inside, as it has
  /// taken over the delegated work.
  private func withdraw(_ waiter: GateQueue.Waiter, from bucket: GateQueue.Bucket) -> Entry {
    switch withdrawn(waiter, from: bucket) {
    case .entered: return .outermost
    case .tryAgain: passOn()
    case .none, .lookAgain: break
    }
    return .refused
  }

  /// Takes a thread out of the queue, or notes that it has seen the signal that took it out.
  @discardableResult
  private func withdrawn(_ waiter: GateQueue.Waiter, from bucket: GateQueue.Bucket) -> GateQueue.Signal {
    bucket.lock.withLock {
      bucket.remove(waiter)
      updateFlags(in: bucket, clearing: waiter.signal == .tryAgain ? GateQueue.Flags.woken : 0)
      return waiter.signal
    }
  }

  /// Wakes the next thread instead of this one, which was woken and does not enter.
  private func passOn() {
    Platform.fenceAllThreads()
    if owner.load(ordering: .relaxed) == 0 { wakeFirst() }
  }

  /// Sets the flags to match the queue. Called with the bucket's lock held.
  private func updateFlags(in bucket: GateQueue.Bucket, clearing cleared: UInt8 = 0, setting set: UInt8 = 0) {
    let first = bucket.first(at: address)
    var flags = waiting.load(ordering: .relaxed) & GateQueue.Flags.kept & ~cleared | set
    if let first {
      flags |= first.isImpatient ? GateQueue.Flags.queued | GateQueue.Flags.impatient : GateQueue.Flags.queued
    }
    waiting.store(flags, ordering: .sequentiallyConsistent)
  }

  // MARK: Leaving

  /// Leaves the gate while threads wait or have delegated work. It makes an impatient thread the owner, or frees the gate
  /// and wakes a thread.
  ///
  /// - Returns: Whether there is delegated work for the calling thread. A new owner takes over that work, too.
  @inline(never)
  @usableFromInline
  func leaveContended() -> Bool {
    if waiting.load(ordering: .relaxed) & GateQueue.Flags.impatient != 0, transfer() { return false }
    free()
    return didLeaveContended()
  }

  /// Wakes a waiting thread after the gate was freed, if none is awake.
  ///
  /// - Returns: Whether there is delegated work for the calling thread.
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

  /// Delegates work to the thread inside, unless that thread has left meanwhile.
  ///
  /// - Returns: Whether this thread has entered.
  @inline(never)
  @usableFromInline
  func delegate() -> Bool {
    let bucket = GateQueue.bucket(of: address)
    bucket.lock.withLock { updateFlags(in: bucket, setting: GateQueue.Flags.delegated) }
    // As before a sleep: a thread that is inside after this fence sees the flag when it leaves.
    Platform.fenceAllThreads()
    InterleavingPoint.gateStep.reach()
    return claim(for: Platform.currentThread)
  }

  /// Makes an impatient thread the owner.
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

  /// Wakes the first thread in the queue of a free gate. An impatient thread becomes the owner if the gate is still free.
  private func wakeFirst() {
    let bucket = GateQueue.bucket(of: address)
    let next = bucket.lock.withLock { () -> GateQueue.Waiter? in
      guard waiting.load(ordering: .relaxed) & GateQueue.Flags.woken == 0 else { return nil }
      guard let first = bucket.first(at: address) else { return nil }
      if first.isImpatient {
        // If a thread has entered meanwhile, that thread makes the impatient one the owner when it leaves.
        guard claim(for: first.thread) else { return nil }
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

  /// Wakes all waiting threads, to check whether the connection has ended.
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
