import Hummingbird

/// A temperature that a sensor has measured.
public struct Reading: ResponseCodable, Equatable, Sendable {

  /// The name of the sensor.
  public var sensor: String

  public var celsius: Double

  public init(sensor: String, celsius: Double) {
    self.sensor = sensor
    self.celsius = celsius
  }
}
