import Combine
import CombineSchedulers
import Dispatch

extension Publishers {

  /// A publisher of the client's own, of what a closure sends.
  struct Create<Output, Failure: Error>: Publisher {

    let send: (PassthroughSubject<Output, Failure>) -> Void
    let scheduler: AnySchedulerOf<DispatchQueue>

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let subject = PassthroughSubject<Output, Failure>()
      subject.receive(on: scheduler).subscribe(subscriber)
      send(subject)
    }
  }

  /// A name that a companion has.
  struct Amb {}
}
