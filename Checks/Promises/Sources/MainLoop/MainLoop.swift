// Row `threads.main-run-loop`: the main run loop's work is done in a program with an asynchronous `main`.
import Combine
import Foundation

@main enum MainLoop {
  static func main() async throws {
    nonisolated(unsafe) var ticks = 0, received = 0, debounced = 0
    let timer = Timer.publish(every: 0.02, on: .main, in: .common).autoconnect().sink { _ in ticks += 1 }
    let just = Just(1).receive(on: RunLoop.main).sink { _ in received += 1 }
    let subject = PassthroughSubject<Int, Never>()
    let pause = subject.debounce(for: .milliseconds(20), scheduler: RunLoop.main).sink { _ in debounced += 1 }
    subject.send(1)
    try await Task.sleep(nanoseconds: 400_000_000)
    print("ticks \(ticks), received \(received), debounced \(debounced)")
    withExtendedLifetime((timer, just, pause)) { exit(ticks >= 10 && received == 1 && debounced == 1 ? 0 : 1) }
  }
}
