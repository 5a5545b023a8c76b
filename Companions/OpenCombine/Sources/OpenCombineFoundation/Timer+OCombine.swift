import Foundation

extension Timer {

  /// A namespace for what Combine adds to timers.
  ///
  /// ```swift
  /// let ticks = Timer.OCombine.TimerPublisher(interval: 1, runLoop: .main, mode: .default)
  /// let cancellable = ticks.autoconnect().sink { print($0) }  // prints the date each second
  /// ```
  public enum OCombine {

    /// The library's connectable publisher of dates, under its name in OpenCombine.
    public typealias TimerPublisher = Timer.TimerPublisher
  }
}
