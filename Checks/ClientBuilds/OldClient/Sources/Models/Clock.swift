import Foundation
import OpenCombine
import OpenCombineFoundation

/// A clock that counts ticks.
public final class Clock: ObservableObject {

  @Published public private(set) var ticks = 0

  private var connection: Cancellable?
  private var subscription: AnyCancellable?

  public init() {}

  public func start(every interval: TimeInterval) {
    let timer = Timer.OCombine.TimerPublisher(interval: interval, runLoop: .main, mode: .default)
    subscription = timer.sink { [unowned self] _ in ticks += 1 }
    connection = timer.connect()
  }

  public func stop() {
    connection?.cancel()
    subscription = nil
  }
}
