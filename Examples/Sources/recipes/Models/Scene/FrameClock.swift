import Combine

/// A publisher of a scene's frames: each value is the time of a frame, in seconds, which is always the same.
///
/// A scheduler that is late makes up for the frames that it missed, up to five at a time. So a scene keeps up with the time, and
/// a long stop of the process does not make its entities jump.
struct FrameClock<Context: Scheduler>: Publisher {
  typealias Output = Double
  typealias Failure = Never

  /// The interval between two frames, in seconds.
  let interval: Double

  let scheduler: Context

  func receive(subscriber: some Subscriber<Double, Never>) {
    let frames = PassthroughSubject<Double, Never>()
    let stride = Context.SchedulerTimeType.Stride.seconds(interval)
    var next = scheduler.now.advanced(by: stride)
    let timer = scheduler.schedule(after: next, interval: stride) { [interval, scheduler] in
      let now = scheduler.now
      for _ in 0..<5 where next <= now {
        next = next.advanced(by: stride)
        frames.send(interval)
      }
      if next <= now { next = now.advanced(by: stride) }
    }
    frames
      .handleEvents(receiveCancel: timer.cancel)
      .subscribe(subscriber)
  }
}
