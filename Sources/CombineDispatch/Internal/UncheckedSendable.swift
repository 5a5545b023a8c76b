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
