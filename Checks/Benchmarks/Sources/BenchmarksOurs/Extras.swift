import BenchmarkSupport
import CombineDispatch
import CombineExtras
import CombineInspection
import Dispatch

// What only this package has. ``Compositions`` does the same with Combine's own operators.

extension Pipelines {

  static func withLatest(_ count: Int, _ checksum: Checksum) {
    let source = PassthroughSubject<Int, Never>()
    let other = PassthroughSubject<Int, Never>()
    let cancellable = source.withLatest(of: other) { $0 &+ $1 }.sink { checksum.add($0) }
    for element in 0..<count {
      if element % 10 == 0 { other.send(element) }
      source.send(element)
    }
    cancellable.cancel()
  }

  static func replaySubject(_ count: Int, _ checksum: Checksum) {
    let subject = ReplaySubject<Int, Never>(replaying: 1)
    let cancellable = subject.sink { checksum.add($0) }
    for element in 0..<count { subject.send(element) }
    cancellable.cancel()
  }

  static func shareReplay(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let shared = subject.share(replay: 1, scope: .forever)
    let cancellables = (0..<4).map { _ in shared.sink { checksum.add($0) } }
    for element in 0..<count { subject.send(element) }
    for cancellable in cancellables { cancellable.cancel() }
  }

  static func flatMapLatest(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let cancellable = source.flatMapLatest { Just($0 &* 3) }.sink { checksum.add($0) }
    cancellable.cancel()
  }

  static func groupBy(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.groupBy { $0 % 10 }.flatMap { $0 }.sink { checksum.add($0) }
    for element in 0..<count { subject.send(element) }
    cancellable.cancel()
  }

  static func inspect(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.inspect("in").map { $0 &* 3 }.inspect("out").sink { checksum.add($0) }
    for element in 0..<count { subject.send(element) }
    cancellable.cancel()
  }

  static func inspectRecorded(_ count: Int, _ checksum: Checksum) {
    Inspection.start()
    inspect(count, checksum)
    Inspection.stop()
  }

  static func asyncMap(_ count: Int, _ checksum: Checksum) {
    let source = Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
    let end = DispatchSemaphore(value: 0)
    let mapped = source.asyncMap { $0 &* 3 }
    let cancellable = mapped.sink(receiveCompletion: { _ in end.signal() }, receiveValue: { checksum.add($0) })
    end.wait()
    cancellable.cancel()
  }
}
