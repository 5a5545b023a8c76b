import BenchmarkSupport
import Synchronization

extension ByHand {

  /// A closure that any thread calls with a lock held.
  public static func makeJunction(_ kind: Junction, _ sum: Sum) -> Inlets? {
    let sink = LockedSink { sum.add($0) }
    return Inlets(first: sink.receive, second: sink.receive)
  }
}

private final class LockedSink: Sendable {

  private let closure: Mutex<(Int) -> Void>

  init(_ closure: sending @escaping (Int) -> Void) {
    self.closure = Mutex(closure)
  }

  func receive(_ values: Range<Int>) {
    for value in values {
      closure.withLock { $0(value) }
    }
  }
}
