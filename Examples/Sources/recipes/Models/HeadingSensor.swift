import Foundation

/// A simulated sensor that reports its measurements to a delegate.
final class HeadingSensor {

  weak var delegate: (any HeadingSensorDelegate)?

  private let interval: TimeInterval

  private var heading = 0.0
  private var timer: (any DispatchSourceTimer)?

  /// - Parameter interval: The interval between two measurements, in seconds.
  init(interval: TimeInterval) {
    self.interval = interval
  }

  deinit {
    timer?.cancel()
  }

  /// Starts the measurements. The sensor calls the delegate on the main queue until it is stopped or fails.
  func start() {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now(), repeating: interval)
    timer.setEventHandler { [weak self] in self?.measure() }
    timer.resume()
    self.timer = timer
  }

  func stop() {
    timer?.cancel()
    timer = nil
  }

  /// Makes a running sensor fail, as a nearby magnet would.
  func disturb() {
    guard timer != nil else { return }
    stop()
    delegate?.sensor(self, didFailWith: .disturbed)
  }

  private func measure() {
    heading = (heading + 7).truncatingRemainder(dividingBy: 360)
    delegate?.sensor(self, didMeasure: heading)
  }
}

protocol HeadingSensorDelegate: AnyObject {

  /// The sensor measured a heading, in degrees from north, clockwise.
  func sensor(_ sensor: HeadingSensor, didMeasure heading: Double)

  /// The sensor failed and has stopped.
  func sensor(_ sensor: HeadingSensor, didFailWith error: HeadingSensorError)
}

enum HeadingSensorError: Error {
  case disturbed
}
