import BenchmarkSupport

// This source is compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// Each element is a subscription.
extension Pipelines {

  static func subscribeAndCancel(_ count: Int, _ checksum: Checksum) {
    for element in 0..<count {
      let mapped = Publishers.Map(upstream: Just(element)) { $0 &* 3 }
      let cancellable = mapped.sink { checksum.add($0) }
      cancellable.cancel()
    }
  }

  static func subscribeToSubject(_ count: Int, _ checksum: Checksum) {
    let subject = PassthroughSubject<Int, Never>()
    for element in 0..<count {
      let cancellable = subject.sink { checksum.add($0) }
      if element % 1000 == 0 { subject.send(element) }
      cancellable.cancel()
    }
  }

  static func subscribeCrowd(_ count: Int, _ checksum: Checksum) {
    let size = min(count, 10_000)
    for _ in 0..<count / size {
      let subject = CurrentValueSubject<Int, Never>(1)
      var members: [AnyCancellable] = []
      members.reserveCapacity(size)
      for _ in 0..<size {
        members.append(subject.sink { checksum.add($0) })
      }
      for member in members {
        member.cancel()
      }
    }
  }

  static func future(_ count: Int, _ checksum: Checksum) {
    for element in 0..<count {
      let future = Future<Int, Never> { $0(.success(element)) }
      let cancellable = Publishers.Map(upstream: future) { $0 &* 3 }.sink { checksum.add($0) }
      cancellable.cancel()
    }
  }

  static func tryMapCatch(_ count: Int, _ checksum: Checksum) {
    struct Refusal: Error {}
    for element in 0..<count {
      let mapped = Publishers.TryMap(upstream: Just(element)) { _ -> Int in throw Refusal() }
      let caught = Publishers.Catch(upstream: mapped) { _ in Just(element &* 3) }
      let cancellable = caught.sink { checksum.add($0) }
      cancellable.cancel()
    }
  }
}
