import Combine
import Foundation

/// 19: to test a publisher, subscribe to it in the test and check the received signals.
///
/// The pipeline is in `Models/Measurement.swift`.
///
/// As a test, with an expectation of XCTest or a confirmation of Swift Testing: see `Examples/README.md`.
struct TestingAPublisher: Recipe {
  let number = 19
  let title = "Testing a publisher"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let names = ["Ada", "Grace", "Barbara"].publisher.setFailureType(to: Measurement.Failure.self)
    var received: [Int] = []
    let cancellable = Measurement().lengths(of: names)
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { received.append($0) })

    // In XCTest, `wait(for: [finished], timeout: 5)`.
    try timeline.wait(for: "finished")
    timeline.expect(["finished"])
    timeline.expect("lengths", received, [3, 5, 7])
    cancellable.cancel()
  }
}
