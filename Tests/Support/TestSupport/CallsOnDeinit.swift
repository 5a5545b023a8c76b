/// Calls a closure when it is released.
package final class CallsOnDeinit {

  private let action: () -> Void

  package init(_ action: @escaping () -> Void) { self.action = action }

  deinit { action() }
}
