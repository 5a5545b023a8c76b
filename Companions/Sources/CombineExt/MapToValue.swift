import CombineExtras

extension Publisher {

  /// Replaces each element by a value.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--c--|"
  ///   $0[0].mapToValue("x")
  ///   "x--x--x--|"
  /// }
  /// ```
  ///
  /// - Parameter value: The value to publish for each element. It is evaluated once, at this call.
  /// - Returns: A publisher that publishes the value as often as this publisher publishes an element.
  public func mapToValue<Value>(_ value: Value) -> Publishers.Map<Self, Value> {
    map { _ in value }
  }

  /// Replaces each element by `Void`, for pipelines that need only to know that something happened.
  ///
  /// ```swift
  /// marbles(outputs: ["x": ()]) {
  ///   "a--b--c--|"
  ///   $0[0].mapToVoid()
  ///   "x--x--x--|"
  /// }
  /// ```
  ///
  /// ```swift
  /// let taps = PassthroughSubject<String, Never>()
  /// let cancellable = taps.mapToVoid().sink { print("tapped") }
  /// taps.send("button")  // prints "tapped"
  /// cancellable.cancel()
  /// ```
  ///
  /// - Returns: A publisher that publishes `Void` for each element.
  public func mapToVoid() -> Publishers.Map<Self, Void> {
    map { _ in () }
  }

  /// Ignores all elements, and lets the publisher stand where another output type is expected.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   $0[0].ignoreOutput(setOutputType: Int.self).append(1)
  ///   "------(1|)"
  /// }
  /// ```
  ///
  /// - Parameter outputType: The output type of the returned publisher, which publishes no element.
  /// - Returns: A publisher that only completes as this publisher does.
  public func ignoreOutput<NewOutput>(
    setOutputType outputType: NewOutput.Type
  ) -> Publishers.Map<Publishers.IgnoreOutput<Self>, NewOutput> {
    ignoreOutput().setOutputType(to: outputType)
  }
}

extension Publisher where Output == Never {

  /// Lets a publisher that publishes no element stand where another output type is expected.
  ///
  /// ```swift
  /// marbles {
  ///   "a--b--|"
  ///   "-x--y---|"
  ///   $0[0].ignoreOutput().setOutputType(to: String.self).merge(with: $0[1])
  ///   "-x--y---|"
  /// }
  /// ```
  ///
  /// - Parameter outputType: The output type of the returned publisher.
  /// - Returns: A publisher that only completes as this publisher does.
  public func setOutputType<NewOutput>(to outputType: NewOutput.Type) -> Publishers.Map<Self, NewOutput> {
    map { _ -> NewOutput in }
  }
}

extension Publisher where Output == Bool {

  /// Publishes the opposite of each element.
  ///
  /// ```swift
  /// marbles(values: ["t": true, "f": false]) {
  ///   "t--f--|"
  ///   $0[0].toggle()
  ///   "f--t--|"
  /// }
  /// ```
  ///
  /// - Returns: A publisher of the opposite values.
  public func toggle() -> Publishers.Map<Self, Bool> {
    map { !$0 }
  }
}
