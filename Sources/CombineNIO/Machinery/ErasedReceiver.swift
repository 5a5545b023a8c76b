#if NIO
  import CombineCore

  /// A subscriber with its type erased. Its closures are made where the type is known, and are therefore specialized.
  ///
  /// What an event loop runs must not know the type of the subscriber, which need not be Sendable.
  @usableFromInline
  final class ErasedReceiver<Input> {

    @usableFromInline
    let receive: (Input) -> Subscribers.Demand

    @usableFromInline
    let complete: (Subscribers.Completion<any Error>) -> Void

    @inlinable
    init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == any Error {
      receive = { subscriber.receive($0) }
      complete = { subscriber.receive(completion: $0) }
    }
  }
#endif
