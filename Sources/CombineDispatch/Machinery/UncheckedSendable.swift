/// A value on its way through a system interface that takes `@Sendable` closures, where Combine's take any.
///
/// Sendable as a promise of whoever makes one: what is inside is used on one thread at a time, in the context that the
/// user chose by naming a queue, a run loop or a notification center.
package struct UncheckedSendable<Value>: @unchecked Sendable {

  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }
}

/// An action as the system's interfaces take it, with the promise of ``UncheckedSendable``.
///
/// It is the same closure: one that calls it from inside would be an allocation more for each action. Function types
/// that differ in `@Sendable` alone have one representation; inside structures they are not converted on the way.
package func uncheckedSendable(_ action: @escaping () -> Void) -> @Sendable () -> Void {
  struct Plain {
    let action: () -> Void
  }
  struct Checked {
    let action: @Sendable () -> Void
  }
  return unsafeBitCast(Plain(action: action), to: Checked.self).action
}
