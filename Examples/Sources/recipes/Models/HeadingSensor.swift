import Foundation

/// A simulated sensor, of the kind that tells a delegate what it measures.
final class HeadingSensor {

  weak var delegate: (any HeadingSensorDelegate)?

  private let interval: TimeInterval

  private var heading = 0.0
  private var timer: (any DispatchSourceTimer)?

  /// - Parameter interval: How often it measures, in seconds.
  init(interval: TimeInterval) {
    self.interval = interval
  }

  deinit {
    timer?.cancel()
  }

  /// Tells the delegate, on the main queue, until it is stopped or fails.
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

  /// Makes a sensor that is running fail, as a magnet beside it would.
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

  /// A measurement, in degrees from north, clockwise.
  func sensor(_ sensor: HeadingSensor, didMeasure heading: Double)

  /// The sensor failed, and is stopped.
  func sensor(_ sensor: HeadingSensor, didFailWith error: HeadingSensorError)
}

enum HeadingSensorError: Error {
  case disturbed
}
