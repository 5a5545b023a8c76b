import Combine

/// 16: a source with a delegate becomes a publisher, which its user switches on and off.
///
/// The wrapper is in `Models/HeadingSensor+Publisher.swift`, the pipelines are in `Models/Compass.swift`.
struct DelegateSource: Recipe {
  let number = 16
  let title = "Delegate source"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let sensor = HeadingSensor(interval: 0.01)
    let compass = Compass(sensor: sensor)
    let needle = compass.$heading.dropFirst().sink { timeline.log("\(Int($0))°") }
    let message = compass.$message.removeDuplicates().sink { timeline.log("message: \($0)") }
    let light = compass.$isOn.removeDuplicates().sink { timeline.log($0 ? "on" : "off") }

    // The user switches it on and off.
    compass.isOn = true
    try timeline.wait(for: "21°")
    compass.isOn = false
    timeline.expect(["message: ", "off", "on", "7°", "14°", "21°", "off"])
    timeline.pause(.milliseconds(30))
    timeline.expect([])

    // A failure switches it off. It can be switched on again.
    compass.isOn = true
    try timeline.wait(for: "28°")
    sensor.disturb()
    timeline.expect(["on", "28°", "message: The sensor failed: disturbed.", "off"])
    compass.isOn = true
    try timeline.wait(for: "35°")
    compass.isOn = false
    timeline.expect(inAnyOrder: ["message: ", "on", "35°", "off"])
    [needle, message, light].forEach { $0.cancel() }
  }
}
