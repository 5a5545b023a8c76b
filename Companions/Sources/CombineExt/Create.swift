import CombineExtras

extension AnyPublisher {

  /// Creates a publisher from a closure that sends its values and its completion.
  ///
  /// ```swift
  /// let numbers = AnyPublisher<Int, Never>.create { subscriber in
  ///   subscriber.send(1)
  ///   subscriber.send(completion: .finished)
  ///   return AnyCancellable { print("clean up") }
  /// }
  /// let cancellable = numbers.sink { print($0) }  // prints 1, "clean up"
  /// cancellable.cancel()
  /// ```
  ///
  /// - Parameter factory: A closure that is called for each subscription; see `ExtraPublishers.Create`.
  /// - Returns: A publisher of what the closure sends.
  public static func create(
    _ factory: @escaping ExtraPublishers.Create<Output, Failure>.SubscriberHandler
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher(factory)
  }
}
