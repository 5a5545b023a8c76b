import BenchmarkSupport
import Dispatch

// This source is compiled twice, as `Pipelines.swift` is.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// A promise of a future, for a task.
///
/// `@unchecked Sendable`: both libraries let a promise be called on any thread, and one of them does not say so by type.
private struct Promise: @unchecked Sendable {
  let send: (Result<Int, Never>) -> Void
}

/// What Combine's users compose where they have none of the operators of CombineExtras.
public enum Compositions: Contestant {

  public static func work(for workload: Workload) -> Work? {
    switch workload {
    case .withLatest: withLatest
    case .replaySubject: replaySubject
    case .shareReplay: shareReplay
    case .flatMapLatest: flatMapLatest
    case .groupBy: groupBy
    case .asyncMap: asyncMap
    case .inspectOff: Pipelines.subjectMapSink
    case .inspectOn: printed
    default: nil
    }
  }

  static func withLatest(_ count: Int, _ checksum: Checksum) {
    let source = PassthroughSubject<Int, Never>()
    let other = PassthroughSubject<Int, Never>()
    let latest = other.map { latest in source.map { $0 &+ latest } }.switchToLatest()
    let cancellable = latest.sink { checksum.add($0) }
    for element in 0..<count {
      if element % 10 == 0 { other.send(element) }
      source.send(element)
    }
    cancellable.cancel()
  }

  /// What Combine has for looking at values. Nobody reads the lines, which costs the least.
  static func printed(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.print("in", to: NoOutput()).map { $0 &* 3 }.print("out", to: NoOutput())
      .sink { checksum.add($0) }
    for element in 0..<count { subject.send(element) }
    cancellable.cancel()
  }

  private struct NoOutput: TextOutputStream {
    func write(_ string: String) {}
  }

  static func replaySubject(_ count: Int, _ checksum: Checksum) {
    let subject = CurrentValueSubject<Int?, Never>(nil)
    let cancellable = subject.compactMap { $0 }.sink { checksum.add($0) }
    for element in 0..<count { subject.send(element) }
    cancellable.cancel()
  }

  static func shareReplay(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let latest = CurrentValueSubject<Int?, Never>(nil)
    let shared = subject.map(Optional.some).multicast(subject: latest).autoconnect().compactMap { $0 }
    let erased = shared.eraseToAnyPublisher()
    let cancellables = (0..<4).map { _ in erased.sink { checksum.add($0) } }
    for element in 0..<count { subject.send(element) }
    for cancellable in cancellables { cancellable.cancel() }
  }

  static func flatMapLatest(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let mapped = Publishers.Map(upstream: source) { Just($0 &* 3) }
    let cancellable = mapped.switchToLatest().sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func groupBy(_ count: Int, _ checksum: Checksum) {
    typealias Group = PassthroughSubject<Int, Never>
    let subject = PassthroughSubject<Int, Never>()
    var groups: [Int: Group] = [:]
    let new = subject.compactMap { element -> (group: Group, first: Int)? in
      let key = element % 10
      if let group = groups[key] {
        group.send(element)
        return nil
      }
      let group = Group()
      groups[key] = group
      return (group, element)
    }
    let cancellable = new.flatMap { $0.group.prepend($0.first) }.sink { checksum.add($0) }
    for element in 0..<count { subject.send(element) }
    cancellable.cancel()
  }

  static func asyncMap(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let end = DispatchSemaphore(value: 0)
    let mapped = source.flatMap(maxPublishers: .max(1)) { element in
      Future<Int, Never> { promise in
        let promise = Promise(send: promise)
        Task { promise.send(.success(element &* 3)) }
      }
    }
    let cancellable = mapped.sink(receiveCompletion: { _ in end.signal() }, receiveValue: { checksum.add($0) })
    end.wait()
    cancellable.cancel()
  }
}
