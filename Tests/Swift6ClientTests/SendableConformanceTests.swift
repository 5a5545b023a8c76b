import Combine
import Foundation
import Testing

/// The types that may be passed between actors. Each line compiles only if the type is `Sendable`.
///
/// A type that holds a closure, or a value of any type as an `AnyPublisher` does, is not.
@Suite struct SendableConformanceTests {

  private func requireSendable<T: Sendable>(_: T.Type) {}

  private typealias Ints = PassthroughSubject<Int, Never>
  private typealias Numbers = Just<Int>
  private typealias Queued = DispatchQueue.SchedulerTimeType

  @Test func subjectsAndProperties() {
    requireSendable(PassthroughSubject<Int, any Error>.self)
    requireSendable(CurrentValueSubject<Int, Never>.self)
    requireSendable(Published<Int>.Publisher.self)
    requireSendable(ObservableObjectPublisher.self)
  }

  @Test func sources() {
    requireSendable(Future<Int, any Error>.self)
    requireSendable(Just<Int>.self)
    requireSendable(Int?.Publisher.self)
    requireSendable(Result<Int, any Error>.Publisher.self)
    requireSendable(Publishers.Sequence<[Int], Never>.self)
    requireSendable(Empty<AnyObject, Never>.self)
    requireSendable(Fail<AnyObject, any Error>.self)
    requireSendable(Record<Int, any Error>.self)
    requireSendable(Record<Int, any Error>.Recording.self)
    requireSendable(NotificationCenter.Publisher.self)
    requireSendable(Timer.TimerPublisher.self)
    requireSendable(URLSession.DataTaskPublisher.self)
  }

  private func isSendable<T>(_: T.Type) -> Bool { false }
  private func isSendable<T: Sendable>(_: T.Type) -> Bool { true }

  private final class Unshared { var value = 0 }

  @Test func sourcesAreNotSendableIfWhatTheyStoreIsNot() {
    let ofShareable = [isSendable(Just<Int>.self), isSendable(Empty<Unshared, Never>.self)]
    #expect(!ofShareable.contains(false), "the overload tells")
    let ofOthers = [
      isSendable(Just<Unshared>.self), isSendable(Unshared?.Publisher.self),
      isSendable(Result<Unshared, any Error>.Publisher.self), isSendable(Publishers.Sequence<[Unshared], Never>.self),
      isSendable(Future<Unshared, any Error>.self), isSendable(Record<Unshared, any Error>.self),
      isSendable(Record<Unshared, any Error>.Recording.self), isSendable(Deferred<Just<Int>>.self),
    ]
    #expect(!ofOthers.contains(true), "\(ofOthers)")
  }

  @Test func operatorsWithoutClosures() {
    requireSendable(Publishers.SetFailureType<Numbers, any Error>.self)
    requireSendable(Publishers.ReplaceError<Fail<Int, any Error>>.self)
    requireSendable(Publishers.AssertNoFailure<Fail<Int, any Error>>.self)
    requireSendable(Publishers.Retry<Ints>.self)
    requireSendable(Publishers.Encode<Numbers, JSONEncoder>.self)
    requireSendable(Publishers.Decode<Just<Data>, Int, JSONDecoder>.self)
    requireSendable(Publishers.SwitchToLatest<Ints, Just<Ints>>.self)
  }

  @Test func mixing() {
    requireSendable(Publishers.Merge<Ints, Numbers>.self)
    requireSendable(Publishers.Merge3<Ints, Numbers, Ints>.self)
    requireSendable(Publishers.Merge4<Ints, Numbers, Ints, Numbers>.self)
    requireSendable(Publishers.Merge5<Ints, Numbers, Ints, Numbers, Ints>.self)
    requireSendable(Publishers.Merge6<Ints, Numbers, Ints, Numbers, Ints, Numbers>.self)
    requireSendable(Publishers.Merge7<Ints, Numbers, Ints, Numbers, Ints, Numbers, Ints>.self)
    requireSendable(Publishers.Merge8<Ints, Numbers, Ints, Numbers, Ints, Numbers, Ints, Numbers>.self)
    requireSendable(Publishers.MergeMany<Ints>.self)
    requireSendable(Publishers.CombineLatest<Ints, Numbers>.self)
    requireSendable(Publishers.CombineLatest3<Ints, Numbers, Ints>.self)
    requireSendable(Publishers.CombineLatest4<Ints, Numbers, Ints, Numbers>.self)
    requireSendable(Publishers.Zip<Ints, Numbers>.self)
    requireSendable(Publishers.Zip3<Ints, Numbers, Ints>.self)
    requireSendable(Publishers.Zip4<Ints, Numbers, Ints, Numbers>.self)
  }

  @Test func timingAndSharing() {
    requireSendable(Publishers.ReceiveOn<Ints, DispatchQueue>.self)
    requireSendable(Publishers.SubscribeOn<Ints, DispatchQueue>.self)
    requireSendable(Publishers.Debounce<Ints, DispatchQueue>.self)
    requireSendable(Publishers.Delay<Ints, DispatchQueue>.self)
    requireSendable(Publishers.Throttle<Ints, DispatchQueue>.self)
    requireSendable(Publishers.Share<Ints>.self)
    requireSendable(Publishers.MakeConnectable<Ints>.self)
    requireSendable(Publishers.Autoconnect<Timer.TimerPublisher>.self)
  }

  @Test func asynchronousSequences() {
    requireSendable(AsyncPublisher<Ints>.self)
    requireSendable(AsyncPublisher<Ints>.Iterator.self)
    requireSendable(AsyncThrowingPublisher<Future<Int, any Error>>.self)
    requireSendable(AsyncThrowingPublisher<Future<Int, any Error>>.Iterator.self)
  }

  @Test func contractTypes() {
    requireSendable(AnyCancellable.self)
    requireSendable(Subscribers.Demand.self)
    requireSendable(Subscribers.Completion<any Error>.self)
    requireSendable(Subscribers.Sink<Int, Never>.self)
    requireSendable(CombineIdentifier.self)
  }

  @Test func schedulersTimesAndOptions() {
    requireSendable(ImmediateScheduler.self)
    requireSendable(ImmediateScheduler.SchedulerTimeType.self)
    requireSendable(ImmediateScheduler.SchedulerTimeType.Stride.self)
    requireSendable(Queued.self)
    requireSendable(Queued.Stride.self)
    requireSendable(DispatchQueue.SchedulerOptions.self)
    requireSendable(OperationQueue.SchedulerTimeType.self)
    requireSendable(OperationQueue.SchedulerTimeType.Stride.self)
    requireSendable(OperationQueue.SchedulerOptions.self)
    requireSendable(RunLoop.SchedulerTimeType.self)
    requireSendable(RunLoop.SchedulerTimeType.Stride.self)
    requireSendable(RunLoop.SchedulerOptions.self)
    requireSendable(NSKeyValueObservingOptions.self)
  }
}
