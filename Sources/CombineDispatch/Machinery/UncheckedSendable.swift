/// A value that is passed through a system interface with `@Sendable` closures, where Combine accepts any closure.
///
/// The creator guarantees that it is safe to send. The value is used on one thread at a time. The user chose the
/// context by naming a queue, a run loop or a notification center.
package struct UncheckedSendable<Value>: @unchecked Sendable {

  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }
}

/// Converts an action into the type that the system's interfaces require, with the guarantee of ``UncheckedSendable``.
///
/// The result is the same closure. A new closure around it would cost one more allocation for each action. Function
/// types that differ only in `@Sendable` have the same representation, and inside structures they are not converted by
/// a cast.
package func uncheckedSendable(_ action: @escaping () -> Void) -> @Sendable () -> Void {
  struct Plain {
    let action: () -> Void
  }
  struct Checked {
    let action: @Sendable () -> Void
  }
  return unsafeBitCast(Plain(action: action), to: Checked.self).action
}
