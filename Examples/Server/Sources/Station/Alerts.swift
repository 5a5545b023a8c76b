import CombineExtras

extension Publisher where Output == Reading {

  /// Publishes the readings above a limit: the first of a sensor at once, and then the latest of each interval at its end.
  ///
  /// - Parameters:
  ///   - limit: The temperature above which a reading is an alert.
  ///   - interval: The minimum time between two alerts of one sensor.
  ///   - scheduler: The scheduler of the interval: a queue, and in tests a virtual clock.
  public func alerts<S: Scheduler>(
    above limit: Double,
    every interval: S.SchedulerTimeType.Stride,
    scheduler: S
  ) -> some Publisher<Reading, Failure> {
    filter { reading in reading.celsius > limit }
      .groupBy { reading in reading.sensor }
      .flatMap { sensor in sensor.throttle(for: interval, scheduler: scheduler, latest: true) }
  }
}
