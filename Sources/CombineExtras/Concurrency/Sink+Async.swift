import CombineCore

extension Publisher where Output: Sendable {

  /// Calls an asynchronous closure with each element, and requests the next element when the closure has returned.
  ///
  /// So the closure is called with one element at a time, and a publisher that honors demand is not asked for more than
  /// it can take. The completion is handled after the last element. Both closures run in tasks of the subscription, and a
  /// cancellation cancels the task of the running closure. After that, neither closure is called.
  ///
  /// ```swift
  /// @Sendable func save(_ name: String) async {}
  ///
  /// let cancellable = ["a", "b"].publisher.setFailureType(to: (any Error).self)
  ///   .sink { completion in
  ///     await save("\(completion)")
  ///   } receiveValue: { name in
  ///     await save(name)
  ///   }
  /// ```
  ///
  /// - Parameters:
  ///   - receiveCompletion: A closure that is called once, with the completion.
  ///   - receiveValue: A closure that is called with each element.
  /// - Returns: A cancellable. Cancelling or releasing it ends the subscription and cancels the running closure.
  @inlinable
  public func sink(
    receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) async -> Void,
    receiveValue: @escaping @Sendable (Output) async -> Void
  ) -> AnyCancellable {
    // The completion is an element too, so that it waits until the closure has returned.
    let events = map { AsyncSinkEvent.value($0) }
      .append(Just(.completion(.finished)).setFailureType(to: Failure.self))
      .catch { Just(.completion(.failure($0))) }
      .asyncMap { event in
        switch event {
        case .value(let value): await receiveValue(value)
        case .completion(let completion): await receiveCompletion(completion)
        }
      }
    return events.run()
  }
}

extension Publisher where Output: Sendable, Failure == Never {

  /// Calls an asynchronous closure with each element, and requests the next element when the closure has returned.
  ///
  /// So the closure is called with one element at a time, and a publisher that honors demand is not asked for more than
  /// it can take. The closure runs in tasks of the subscription. A cancellation cancels the task of the running closure.
  /// After that, the closure is not called.
  ///
  /// ```swift
  /// @Sendable func save(_ name: String) async {}
  ///
  /// let cancellable = ["a", "b"].publisher.sink { await save($0) }
  /// ```
  ///
  /// - Parameter receiveValue: A closure that is called with each element.
  /// - Returns: A cancellable. Cancelling or releasing it ends the subscription and cancels the running closure.
  @inlinable
  public func sink(receiveValue: @escaping @Sendable (Output) async -> Void) -> AnyCancellable {
    asyncMap(receiveValue).run()
  }
}

extension Publisher<Void, Never> {

  /// Subscribes with unlimited demand, for the work that this publisher does.
  @inlinable
  func run() -> AnyCancellable {
    let sink = Subscribers.Sink<Void, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
    subscribe(sink)
    return AnyCancellable { sink.cancelForGood() }
  }
}

/// What an asynchronous sink handles, one after the other.
@usableFromInline
enum AsyncSinkEvent<Value: Sendable, Failure: Error>: Sendable {
  case value(Value)
  case completion(Subscribers.Completion<Failure>)
}
