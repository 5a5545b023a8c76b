import BenchmarkSupport

// This source is compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import Dispatch
  import OpenCombine
  import OpenCombineDispatch
#else
  import CombineDispatch
  import Dispatch
#endif

#if OPENCOMBINE
  extension DispatchQueue {
    fileprivate var scheduler: OCombine { ocombine }
  }
#else
  extension DispatchQueue {
    fileprivate var scheduler: DispatchQueue { self }
  }
#endif

/// Operators that wait for time.
extension Pipelines {

  /// No value is published, because there is no pause. It returns when the completion has arrived.
  static func debounce(_ count: Int, _ checksum: Checksum) {
    let queue = DispatchQueue(label: "receiver")
    let hasCompleted = DispatchSemaphore(value: 0)
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.debounce(for: .seconds(10), scheduler: queue.scheduler).sink(
      receiveCompletion: { _ in
        checksum.add(count)
        hasCompleted.signal()
      },
      receiveValue: { checksum.add($0) }
    )
    for element in 0..<count {
      subject.send(element)
    }
    subject.send(completion: .finished)
    hasCompleted.wait()
    cancellable.cancel()
  }
}
