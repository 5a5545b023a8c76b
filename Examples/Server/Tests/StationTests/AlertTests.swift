import CombineTesting
import Station
import Testing

/// The pipeline alone, in virtual time.
@Suite struct AlertTests {

  /// The readings that the letters of the pictures stand for.
  private let readings: [Character: Reading] = [
    "a": Reading(sensor: "attic", celsius: 31),
    "A": Reading(sensor: "attic", celsius: 35),
    "c": Reading(sensor: "cellar", celsius: 31),
    "x": Reading(sensor: "attic", celsius: 20),
  ]

  @Test func aSensorAlertsOnceInAnInterval() {
    marbles(values: readings) {
      "aAa----A-|"
      $0[0].alerts(above: 30, every: 5, scheduler: $0.scheduler)
      "a----a----(A|)"
    }
  }

  @Test func eachSensorHasAnIntervalOfItsOwn() {
    marbles(values: readings) {
      "ac-----|"
      $0[0].alerts(above: 30, every: 5, scheduler: $0.scheduler)
      "ac-----|"
    }
  }

  @Test func aReadingBelowTheLimitIsNoAlert() {
    marbles(values: readings) {
      "xax-|"
      $0[0].alerts(above: 30, every: 5, scheduler: $0.scheduler)
      "-a--|"
    }
  }
}
