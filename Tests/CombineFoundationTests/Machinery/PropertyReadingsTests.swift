import Testing

@testable import CombineFoundation

/// The state machine alone. Threads are numbers.
@Suite struct PropertyReadingsTests {

  /// Readings after the first one, by thread 1.
  private func started() -> PropertyReadings {
    var readings = PropertyReadings()
    readings.start(on: 1)
    #expect(readings.finish() == .done(number: 1))
    return readings
  }

  @Test func eachChangeIsReadOnceWithANewRegistration() {
    var readings = started()
    for (registration, number) in zip(Int64(1)...3, Int64(2)...4) {
      #expect(readings.change(announcedBy: registration, on: 1) == .read(registering: true))
      #expect(readings.registration == registration + 1)
      #expect(readings.finish() == .done(number: number))
    }
  }

  @Test func aChangeByAnotherThreadDuringAReadingCausesAnotherReading() {
    var readings = started()
    #expect(readings.change(announcedBy: 1, on: 1) == .read(registering: true))
    #expect(readings.change(announcedBy: 1, on: 2) == .ignore)
    #expect(readings.finish() == .read(registering: false))
    #expect(readings.change(announcedBy: 2, on: 2) == .ignore)
    #expect(readings.change(announcedBy: 1, on: 3) == .ignore)
    #expect(readings.finish() == .read(registering: true))
    #expect(readings.registration == 3)
    #expect(readings.finish() == .done(number: 2))
  }

  @Test func aChangeByTheGetterCausesNoOtherReading() {
    var readings = started()
    #expect(readings.change(announcedBy: 1, on: 5) == .read(registering: true))
    #expect(readings.change(announcedBy: 1, on: 5) == .ignore)
    #expect(readings.finish() == .done(number: 2))
  }

  @Test func aLateAnnouncementIsReadWithoutARegistration() {
    var readings = started()
    _ = readings.change(announcedBy: 1, on: 1)
    _ = readings.finish()
    #expect(readings.change(announcedBy: 1, on: 2) == .read(registering: false))
    #expect(readings.registration == 2)
    #expect(readings.finish() == .done(number: 3))
  }

  @Test func overtakenValuesAreDetected() {
    var readings = started()
    #expect(!readings.isOvertaken(1))
    readings.send(1)
    let prior = readings.number()
    #expect(prior == 2)
    readings.send(3)
    #expect(readings.isOvertaken(prior))
    #expect(readings.isOvertaken(3))
    #expect(!readings.isOvertaken(4))
  }
}
