import Combine
import Foundation

/// 7: work in steps: each `flatMap` begins when the step before is done, and `zip` joins steps that run side by side.
struct SequencedWork: Recipe {
  let number = 7
  let title = "Sequencing work"

  final class Workflow {

    /// What is being done.
    let progress = PassthroughSubject<String, Never>()

    private let address: (String) -> URL
    private var run: AnyCancellable?

    init(address: @escaping (String) -> URL) {
      self.address = address
    }

    /// Begins from the first step; a run in progress is cancelled. A run keeps the workflow until it ends.
    func start() {
      run?.cancel()
      run = step("1")
        .flatMap { [self] _ in Publishers.Zip3(step("2a"), step("2b"), step("2c")) }
        .flatMap { [self] a, b, c in step("3").map { "\(a) + \(b) + \(c), then \($0)" } }
        .flatMap { [self] soFar in step("4").map { "\(soFar), then \($0)" } }
        .handleEvents(receiveCancel: { [progress] in progress.send("cancelled") })
        .sink(
          receiveCompletion: { [progress] completion in
            switch completion {
            case .finished: progress.send("finished")
            case .failure(let error): progress.send("failed: \(error)")
            }
          },
          receiveValue: { [progress] in progress.send("result: \($0)") }
        )
    }

    private func step(_ name: String) -> some Publisher<String, URLError> {
      URLSession.shared.dataTaskPublisher(for: address("steps/\(name)"))
        .map { data, _ in String(decoding: data, as: UTF8.self) }
        .receive(on: DispatchQueue.main)
        .handleEvents(
          receiveSubscription: { [progress] _ in progress.send("step \(name) …") },
          receiveOutput: { [progress] _ in progress.send("step \(name) done") }
        )
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let workflow = Workflow(address: server.url)
    let display = workflow.progress.sink { timeline.log($0) }

    // The first run is stopped while the parallel steps are being worked on.
    workflow.start()
    try timeline.wait(for: "step 2c …")
    timeline.expect(["step 1 …", "step 1 done", "step 2a …", "step 2b …", "step 2c …"])
    workflow.start()
    timeline.expect(["cancelled", "step 1 …"])

    // The second goes all the way, and nothing more comes of the first.
    try timeline.wait(for: "step 1 done")
    timeline.expect(["step 1 done", "step 2a …", "step 2b …", "step 2c …"])
    try timeline.wait(for: "step 3 …")
    timeline.expect(inAnyOrder: ["step 2a done", "step 2b done", "step 2c done", "step 3 …"])
    try timeline.wait(for: "finished")
    timeline.expect([
      "step 3 done", "step 4 …", "step 4 done",
      "result: 2a + 2b + 2c, then 3, then 4", "finished",
    ])
    // A cancelled request may keep the server busy for a while, beside the three.
    let most = server.mostStepsAtOnce
    timeline.expect("three steps side by side in the server", most >= 3, got: most)
    display.cancel()
  }
}
