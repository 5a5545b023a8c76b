import Combine

extension HeadingSensor {

  /// What the sensor measures, as a publisher: it runs while there is a subscriber, and fails when the sensor does.
  ///
  /// A sensor has one delegate, so one subscriber at a time.
  var headings: some Publisher<Double, HeadingSensorError> {
    Deferred { [self] in
      let listener = Listener()
      delegate = listener
      return listener.headings.handleEvents(
        receiveSubscription: { _ in self.start() },
        // The sensor does not keep its delegate; the subscription does, until here.
        receiveCancel: { withExtendedLifetime(listener) { self.stop() } }
      )
    }
  }

  /// Hands on to a subject what the delegate is told.
  private final class Listener: HeadingSensorDelegate {

    let headings = PassthroughSubject<Double, HeadingSensorError>()

    func sensor(_ sensor: HeadingSensor, didMeasure heading: Double) {
      headings.send(heading)
    }

    func sensor(_ sensor: HeadingSensor, didFailWith error: HeadingSensorError) {
      headings.send(completion: .failure(error))
    }
  }
}
