import Combine
import Foundation

// Without arguments: each safe model once. With one: the pipeline of `Unsafe` with that name.
var pipelines: [AnyCancellable] = []

func show(_ publisher: AnyPublisher<String, any Error>) {
  pipelines.append(publisher.sink(receiveCompletion: { @Sendable _ in }, receiveValue: { @Sendable in print($0) }))
}

switch CommandLine.arguments.dropFirst().first {
case "map": show(Unsafe.map())
case "sink": pipelines.append(Unsafe.sink())
default:
  let models = Models()
  let ways = [
    ("receive(on:)", models.receivesFirst), ("@Sendable", models.marksClosures), ("sink(on:)", models.sinksOnTheActor),
    ("for await", models.loops), ("assign(to:)", models.assigns), ("debounce", models.searches),
  ]
  for (name, way) in ways {
    await withCheckedContinuation { continuation in way { continuation.resume() } }
    MainActor.preconditionIsolated()
    print("\(name): \(models.name)")
  }
  exit(0)
}
try await Task.sleep(for: .seconds(2))
exit(0)
