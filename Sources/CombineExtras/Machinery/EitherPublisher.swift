import CombineCore

/// One of two publishers. A closure can return it where its publisher depends on a condition.
@usableFromInline
enum EitherPublisher<First: Publisher, Second: Publisher>: Publisher
where First.Output == Second.Output, First.Failure == Second.Failure {

  @usableFromInline
  typealias Output = First.Output

  @usableFromInline
  typealias Failure = First.Failure

  case first(First)
  case second(Second)

  @inlinable
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    switch self {
    case .first(let publisher): publisher.subscribeConduit(subscriber)
    case .second(let publisher): publisher.subscribeConduit(subscriber)
    }
  }
}
