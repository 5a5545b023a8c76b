extension Inspection {

  @TaskLocal static var isIgnoring = false

  /// Runs a closure without following the subscriptions that it makes.
  ///
  /// It is for a tool within the inspected program, whose own pipelines are not what a person wants to see. Stages with
  /// `inspect` are recorded nevertheless.
  ///
  /// - Parameter body: A closure that subscribes.
  /// - Returns: The result of the closure.
  @_spi(Tools)
  public static func ignoring<Result>(_ body: () throws -> Result) rethrows -> Result {
    try $isIgnoring.withValue(true, operation: body)
  }
}
