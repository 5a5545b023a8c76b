/// What is read of the machine of a merge, zip, combineLatest or flatMap without its lock.
@usableFromInline
struct MixingMirror: MachineMirror {

  @usableFromInline
  let rawValue: Int

  @inlinable
  init(rawValue: Int) {
    self.rawValue = rawValue
  }

  init(isUnlimited: Bool = false, hasEnded: Bool) {
    rawValue = (isUnlimited ? 1 : 0) | (hasEnded ? 2 : 0)
  }

  /// Whether a value may pass without a step, because the demand is unlimited.
  @inlinable
  var isUnlimited: Bool { rawValue & 1 != 0 }

  /// Whether the operator has completed or was cancelled.
  @inlinable
  var hasEnded: Bool { rawValue & 2 != 0 }
}
