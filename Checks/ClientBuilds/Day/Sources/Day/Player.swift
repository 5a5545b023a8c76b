import Foundation
import OpenCombineShim

enum PlayerState: Equatable {
  case stopped, playing(Int), paused(Int)
}

/// Plays a list of titles.
final class Player {

  let commands = PassthroughSubject<String, Never>()
  let position = CurrentValueSubject<Int, Never>(0)
  private var cancellables = Set<AnyCancellable>()

  lazy var state: AnyPublisher<PlayerState, Never> =
    commands
    .scan(PlayerState.stopped) { state, command in
      switch (state, command) {
      case (.playing(let title), "pause"): .paused(title)
      case (.paused(let title), "play"): .playing(title)
      case (.playing(let title), "next"): .playing(title + 1)
      case (_, "play"): .playing(0)
      default: .stopped
      }
    }
    .removeDuplicates()
    .share()
    .eraseToAnyPublisher()

  func start() {
    state
      .map { state -> Int? in if case .playing(let title) = state { title } else { nil } }
      .compactMap { $0 }
      .sink { print("plays \($0)") }
      .store(in: &cancellables)

    state
      .drop { $0 == .stopped }
      .prefix(while: { $0 != .stopped })
      .collect()
      .sink { print("played \($0.count) states") }
      .store(in: &cancellables)

    position
      .dropFirst()
      .throttle(for: .milliseconds(1), scheduler: DispatchQueue.main, latest: true)
      .map { "\($0 / 60):\($0 % 60)" }
      .sink { print("at \($0)") }
      .store(in: &cancellables)

    position
      .filter { $0 > 0 && $0 % 30 == 0 }
      .map { $0 / 30 }
      .zip((1...9).publisher)
      .map { $0 == $1 }
      .allSatisfy { $0 }
      .sink { print("in order: \($0)") }
      .store(in: &cancellables)
  }

  func finish() {
    commands.send(completion: .finished)
    position.send(completion: .finished)
  }
}
