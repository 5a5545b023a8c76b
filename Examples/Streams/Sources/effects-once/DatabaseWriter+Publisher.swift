import CombineJetStream
import GRDB

// GRDB has a `writePublisher` of its own, inside `#if canImport(Combine)`. The condition holds only if a module with that
// name is built before GRDB, which a client's manifest cannot say: see "The trap of #if canImport(Combine)" in the guide
// `WhichProduct`. This one needs no more of GRDB than `asyncWrite`, and is there in every build.
extension DatabaseWriter {

  /// Returns a publisher that changes the database in one transaction, publishes the result, and finishes.
  ///
  /// The transaction starts with the subscription: two subscriptions are two transactions. The result is published after
  /// the commit. If `updates` throws, everything is rolled back, and the publisher fails. A cancellation does not stop a
  /// transaction that has started. Only its result is dropped.
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler on which the result is published. The queue of the database is not a place for other
  ///     work: all writes wait for it, and another write from there ends the program.
  ///   - updates: A closure that changes the database. It runs on the queue of the database.
  func writePublisher<Output: Sendable>(
    receiveOn scheduler: some Scheduler,
    updates: @escaping @Sendable (Database) throws -> Output
  ) -> some Publisher<Output, any Error> {
    Deferred {
      Future { promise in
        self.asyncWrite(updates) { _, result in promise(result) }
      }
    }
    .receive(on: scheduler)
  }
}
