import CombineCore

extension Publisher where Output: Sendable {

  /// Calls closures on the main actor, with each element and with the completion.
  ///
  /// The closures are isolated to the main actor by their types, so they can change the state of a view model directly.
  /// Elements arrive in order. Nothing arrives after a cancellation that is made on the main actor. The demand is
  /// unlimited.
  ///
  /// ```swift
  /// @MainActor final class Model {
  ///   var names: [String] = []
  ///   var isComplete = false
  /// }
  ///
  /// func show(_ names: some Publisher<String, any Error>, in model: Model) -> AnyCancellable {
  ///   names.sink(on: MainActor.shared) { _ in
  ///     model.isComplete = true
  ///   } receiveValue: { name in
  ///     model.names.append(name)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: `MainActor.shared`.
  ///   - receiveCompletion: A closure that is called once on the main actor, with the completion.
  ///   - receiveValue: A closure that is called on the main actor with each element.
  /// - Returns: A cancellable. Cancelling or releasing it ends the subscription.
  @inlinable
  public func sink(
    on actor: MainActor,
    receiveCompletion: @escaping @MainActor (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @MainActor (Output) -> Void
  ) -> AnyCancellable {
    // The assumptions are checked, and hold: the closures are called on the main actor only.
    receive(on: actor).sink { completion in
      MainActor.assumeIsolated { receiveCompletion(completion) }
    } receiveValue: { value in
      MainActor.assumeIsolated { receiveValue(value) }
    }
  }

  /// Calls closures on an actor, with each element and with the completion.
  ///
  /// The closures are isolated to the actor by their types, so they can change the actor's state without `await`.
  /// Elements arrive in order. Nothing arrives after a cancellation that is made on the actor. The demand is unlimited.
  ///
  /// ```swift
  /// actor Log {
  ///   var lines: [String] = []
  /// }
  ///
  /// func keep(_ lines: some Publisher<String, any Error>, in log: Log) -> AnyCancellable {
  ///   lines.sink(on: log) { log, completion in
  ///     log.lines.append("\(completion)")
  ///   } receiveValue: { log, line in
  ///     log.lines.append(line)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The actor on which the closures are called. It is kept until the subscription ends.
  ///   - receiveCompletion: A closure that is called once, with the actor and the completion.
  ///   - receiveValue: A closure that is called with the actor and each element.
  /// - Returns: A cancellable. Cancelling or releasing it ends the subscription.
  @inlinable
  public func sink<Isolation: Actor>(
    on actor: Isolation,
    receiveCompletion: @escaping @Sendable (isolated Isolation, Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (isolated Isolation, Output) -> Void
  ) -> AnyCancellable {
    // The assumptions are checked, and hold: the closures are called on the actor only.
    receive(on: actor).sink { completion in
      actor.assumeIsolated { receiveCompletion($0, completion) }
    } receiveValue: { value in
      actor.assumeIsolated { receiveValue($0, value) }
    }
  }
}

extension Publisher where Output: Sendable, Failure == Never {

  /// Calls a closure on the main actor with each element.
  ///
  /// The closure is isolated to the main actor by its type, so it can change the state of a view model directly.
  /// Elements arrive in order. Nothing arrives after a cancellation that is made on the main actor. The demand is
  /// unlimited.
  ///
  /// ```swift
  /// @MainActor final class Model {
  ///   var name = ""
  /// }
  ///
  /// func show(_ names: some Publisher<String, Never>, in model: Model) -> AnyCancellable {
  ///   names.sink(on: MainActor.shared) { model.name = $0 }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: `MainActor.shared`.
  ///   - receiveValue: A closure that is called on the main actor with each element.
  /// - Returns: A cancellable. Cancelling or releasing it ends the subscription.
  @inlinable
  public func sink(
    on actor: MainActor,
    receiveValue: @escaping @MainActor (Output) -> Void
  ) -> AnyCancellable {
    sink(on: actor, receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Calls a closure on an actor with each element.
  ///
  /// The closure is isolated to the actor by its type, so it can change the actor's state without `await`. Elements
  /// arrive in order. Nothing arrives after a cancellation that is made on the actor. The demand is unlimited.
  ///
  /// ```swift
  /// actor Log {
  ///   var lines: [String] = []
  /// }
  ///
  /// func keep(_ lines: some Publisher<String, Never>, in log: Log) -> AnyCancellable {
  ///   lines.sink(on: log) { log, line in log.lines.append(line) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The actor on which the closure is called. It is kept until the subscription ends.
  ///   - receiveValue: A closure that is called with the actor and each element.
  /// - Returns: A cancellable. Cancelling or releasing it ends the subscription.
  @inlinable
  public func sink<Isolation: Actor>(
    on actor: Isolation,
    receiveValue: @escaping @Sendable (isolated Isolation, Output) -> Void
  ) -> AnyCancellable {
    sink(on: actor, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
  }
}
