import CombineExtras
import Dispatch

/// The state of the server: what the sensors have measured, and the pipelines behind it.
///
/// Subjects are `Sendable`, so handlers on all threads share them. A pipeline with closures is not. Each request makes its own.
public final class Station: Sendable {

  private let readings = PassthroughSubject<Reading, Never>()
  private let latest = CurrentValueSubject<[String: Reading], Never>([:])
  private let follower: AnyCancellable
  private let queue = DispatchQueue(label: "station")

  public init() {
    // Delivery to one subscriber is serialized, so no reading is lost when two requests write at the same time.
    let all = readings.scan([:]) { readings, reading in readings.merging([reading.sensor: reading]) { $1 } }
    follower = all.sink { [latest] in latest.send($0) }
  }

  /// Takes a reading. It returns when all subscribers have it, so the next request sees it.
  public func take(_ reading: Reading) {
    readings.send(reading)
  }

  /// Returns the latest reading of a sensor.
  public func latest(of sensor: String) -> Reading? {
    latest.value[sensor]
  }

  /// Returns lines of an event stream: an alert for each reading above a limit, and a comment at regular times.
  ///
  /// The comments keep proxies from closing a connection without alerts. They also show the server that a client is gone.
  public func events(
    above limit: Double,
    heartbeat: DispatchQueue.SchedulerTimeType.Stride
  ) -> some Publisher<String, Never> {
    let alerts = readings.alerts(above: limit, every: .seconds(60), scheduler: queue)
      .map { reading in "event: alert\ndata: \(reading.sensor) \(reading.celsius)\n\n" }
    let heartbeats = queue.timerPublisher(every: heartbeat)
      .autoconnect()
      .map { _ in ": still here\n\n" }
    return alerts.merge(with: heartbeats)
  }
}
