import BenchmarkSupport

// This source is compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Pipelines {

  public static func makeCrowd() -> (any Crowd)? { SinkCrowd() }
}

/// The sinks of one subject.
private final class SinkCrowd: Crowd {

  private let subject = PassthroughSubject<Int, Never>()
  private var members: [AnyCancellable?] = []

  func reserve(_ count: Int) {
    members.reserveCapacity(count)
  }

  func join() {
    members.append(subject.sink { _ in })
  }

  func leave(_ index: Int) {
    members[index]?.cancel()
    members[index] = nil
  }
}
