import CombineThreads

/// A current value and its subscribers: the core of a ``CurrentValueSubject``, and of a ``Published`` property.
///
/// The subject stores a value first and then sends it. The property sends it first.
@usableFromInline
final class CurrentValueCore<Output, Failure: Error>: SubjectCore<Output, Failure> {

  /// The current value, until the publisher is gone. Written in a turn, with the lock held. It lies at an address, so that the
  /// thread whose turn it is delivers it from there.
  @exclusivity(unchecked)
  @usableFromInline
  var storage: UnsafeMutablePointer<Output>?

  @usableFromInline
  init(_ value: Output, _ current: CurrentValue, name: String) {
    let storage = UnsafeMutablePointer<Output>.allocate(capacity: 1)
    storage.initialize(to: value)
    self.storage = storage
    super.init(name: name, current: current)
    valueAddress = UnsafeMutableRawPointer(storage)
  }

  deinit { releaseValue() }

  /// The current value. It is not used once the publisher is gone.
  @inlinable
  var value: Output {
    lock.withLock {
      guard let storage else { preconditionFailure("the publisher is gone") }
      return storage.pointee
    }
  }

  /// Makes a value the current one and sends it to each subscriber that has demand.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - last: The number of the last subscriber that is met.
  ///   - replacesAfterEnd: Whether the current value is replaced after the completion, too.
  @inlinable
  func send(_ value: Output, upTo last: Int64 = .max, replacingAfterEnd replacesAfterEnd: Bool = false) {
    var exchanged = value  // Then the value before, which is released with the lock free.
    withUnsafePointer(to: value) {
      send(valueAt: $0, exchanging: &exchanged, upTo: last, replacingAfterEnd: replacesAfterEnd)
    }
  }

  // A typed pointer takes the variable itself, where an untyped one would need a closure around the send.
  @usableFromInline
  func send(
    valueAt value: UnsafePointer<Output>,
    exchanging new: UnsafeMutablePointer<Output>,
    upTo last: Int64,
    replacingAfterEnd replacesAfterEnd: Bool
  ) {
    send(value, upTo: last, replacingAfterEnd: replacesAfterEnd, exchanging: new)
  }

  override func exchangeValue(with new: UnsafeMutableRawPointer) {
    guard let storage else { return }
    swap(&storage.pointee, &new.assumingMemoryBound(to: Output.self).pointee)
  }

  override func unlockCopyingValue(_ body: (UnsafeRawPointer) -> Void) {
    guard let storage else { return lock.unlock() }
    let copy = storage.pointee
    lock.unlock()
    withUnsafePointer(to: copy) { body($0) }
  }

  /// Releases the value and the upstream subscriptions, when the publisher is deallocated. Subscriptions may still hold this
  /// object.
  @usableFromInline
  func close() {
    releaseValue()
    cancelUpstreams()
  }

  private func releaseValue() {
    let taken = lock.withLock {
      valueAddress = nil
      return exchange(&storage, with: nil)
    }
    taken?.deinitialize(count: 1)
    taken?.deallocate()
  }
}
