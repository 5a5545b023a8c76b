#if NIO
  import CombineNIO
  import Dispatch
  import Foundation
  import NIOCore
  import NIOPosix

  /// What an element costs on an event loop, next to a dispatch queue.
  enum SchedulerLoads {

    private static let loop = MultiThreadedEventLoopGroup.singleton.next()
    private static let queue = DispatchQueue(label: "EventLoopLoads")

    static func run(_ report: Report) {
      report.line("receive(on:), ns an element: best of 7 rounds of 500,000, event loop / dispatch queue")
      for isThere in [false, true] {
        var (onLoop, onQueue) = ([Double](), [Double]())
        for _ in 0..<7 {
          onLoop.append(bulk(loop.scheduler, isThere: isThere))
          onQueue.append(bulk(queue, isThere: isThere))
        }
        let (first, second) = (onLoop.min()!, onQueue.min()!)
        let name = isThere ? "the source is there already" : "from another thread"
        report.line(
          "  \(name): \(Int(first)) / \(Int(second)), ratio \(rounded(first / second)); "
            + "medians \(Int(onLoop.sorted()[3])) / \(Int(onQueue.sorted()[3]))"
        )
        report.check(first <= 1.5 * second, "receive(on:), \(name): \(rounded(first / second)) times the queue's price")
      }
      let back = (0..<3).map { _ in (thereAndBack(loop.scheduler), thereAndBack(queue)) }
      report.line(
        "one at a time, there and back, µs: \(rounded(back.map(\.0).min()!, 1)) / \(rounded(back.map(\.1).min()!, 1))"
      )
      report.line("one action after 20 ms, ms: \(rounded(after20ms(loop.scheduler))) / \(rounded(after20ms(queue)))")
    }

    private static func bulk<S: Scheduler & Sendable>(_ scheduler: S, isThere: Bool) -> Double {
      let count = 500_000
      let done = DispatchSemaphore(value: 0)
      let sum = Box(0)
      let time = seconds {
        let start = { @Sendable in
          sum.cancellable = (0..<count).publisher
            .receive(on: scheduler)
            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { sum.value &+= $0 })
        }
        if isThere { scheduler.schedule(start) } else { start() }
        done.wait()
      }
      precondition(sum.value == count * (count - 1) / 2)
      return time * 1e9 / Double(count)
    }

    private static func thereAndBack(_ scheduler: some Scheduler) -> Double {
      let count = 20_000
      let subject = PassthroughSubject<Int, Never>()
      let arrived = DispatchSemaphore(value: 0)
      let cancellable = subject.receive(on: scheduler).sink { _ in arrived.signal() }
      let time = seconds {
        for number in 0..<count {
          subject.send(number)
          arrived.wait()
        }
      }
      cancellable.cancel()
      return time * 1e6 / Double(count)
    }

    private static func after20ms<S: Scheduler>(_ scheduler: S) -> Double {
      let arrived = DispatchSemaphore(value: 0)
      let count = 20
      let time = seconds {
        for _ in 0..<count {
          scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(20))) { arrived.signal() }
          arrived.wait()
        }
      }
      return time * 1e3 / Double(count)
    }

    /// A value that the scheduler's one thread changes, and that is read after the end.
    private final class Box: @unchecked Sendable {
      var value: Int
      var cancellable: AnyCancellable?
      init(_ value: Int) { self.value = value }
    }
  }
#endif
