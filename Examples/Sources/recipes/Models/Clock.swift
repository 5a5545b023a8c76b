import Combine
import Foundation

/// A clock that a timer drives while the clock is running.
final class Clock: ObservableObject {

  /// The text on its face: minutes, seconds and tenths since the start.
  @Published private(set) var time = "0:00.0"

  @Published var isRunning = false

  init(stages: Stages = .none) {
    $isRunning
      .removeDuplicates()
      .map { isRunning -> AnyPublisher<Int, Never> in
        guard isRunning else { return Empty().eraseToAnyPublisher() }
        return Timer.publish(every: 0.1, on: .main, in: .common)
          .autoconnect()
          .stage("timer", in: stages) { _ in "" }
          .map { _ in 1 }
          .eraseToAnyPublisher()
      }
      .switchToLatest()
      .scan(0, +)
      .map { "\($0 / 600):\($0 / 100 % 6)\($0 / 10 % 10).\($0 % 10)" }
      .assign(to: &$time)
  }
}
