import Combine

extension HeadingSensor {

  /// A publisher of the sensor's measurements. The sensor runs while there is a subscriber, and the publisher fails
  /// when the sensor does.
  ///
  /// A sensor has one delegate, so it supports one subscriber at a time.
  var headings: some Publisher<Double, HeadingSensorError> {
    Deferred { [self] in
      let listener = Listener()
      delegate = listener
      return listener.headings.handleEvents(
        receiveSubscription: { _ in self.start() },
        // The sensor holds its delegate weakly. The subscription keeps it alive until this call.
        receiveCancel: { withExtendedLifetime(listener) { self.stop() } }
      )
    }
  }

  /// A delegate that sends its calls to a subject.
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
