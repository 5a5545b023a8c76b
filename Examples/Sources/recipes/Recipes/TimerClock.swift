import Combine
import Foundation

/// 27: a timer drives a clock.
///
/// `Models/Clock.swift` contains a clock that can be switched on and off.
struct TimerClock: Recipe {
  let number = 27
  let title = "Timer"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let start = Date()
    var dates: [Date] = []
    let timer = Timer.publish(every: 0.02, on: .main, in: .common)
      .autoconnect()
      .sink { dates.append($0) }
    try timeline.wait(for: "five ticks", until: dates.count >= 5)
    timer.cancel()
    let count = dates.count
    timeline.pause(.milliseconds(60))
    timeline.expect("ticks after the cancel", dates.count - count, 0)
    timeline.expect("dates that grow", dates == dates.sorted(), got: dates)
    let first = dates[0].timeIntervalSince(start)
    timeline.expect("the first tick after one interval", first >= 0.019, got: first)

    let clock = Clock()
    let face = clock.$time.removeDuplicates().sink { timeline.log($0) }
    clock.isRunning = true
    try timeline.wait(for: "0:00.2")
    clock.isRunning = false
    timeline.pause(.milliseconds(150))
    timeline.expect(["0:00.0", "0:00.1", "0:00.2"])
    clock.isRunning = true
    try timeline.wait(for: "0:00.3")
    timeline.expect(["0:00.3"])
    face.cancel()
  }
}
