import Combine

/// A compass that can be switched on and off. A failure of its sensor switches it off.
final class Compass: ObservableObject {

  @Published var isOn = false

  /// The direction of the needle, in degrees from north, clockwise.
  @Published private(set) var heading = 0.0

  @Published private(set) var message = ""

  private var subscriptions: Set<AnyCancellable> = []

  init(sensor: HeadingSensor, stages: Stages = .none) {
    let measurements =
      $isOn
      .removeDuplicates()
      .stage("switch", in: stages) { $0 ? "on" : "off" }
      .map { isOn -> AnyPublisher<Result<Double, HeadingSensorError>, Never> in
        guard isOn else { return Empty(completeImmediately: false).eraseToAnyPublisher() }
        return sensor.headings
          .stage("sensor", in: stages) { "\(Int($0))" }
          .map(Result.success)
          .catch { Just(.failure($0)) }
          .eraseToAnyPublisher()
      }
      .switchToLatest()
      .share()

    measurements
      .compactMap { try? $0.get() }
      .stage("needle", in: stages) { "\(Int($0))°" }
      .assign(to: &$heading)

    let failures = measurements.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    failures
      .map { "The sensor failed: \($0)." }
      .merge(with: $isOn.filter(\.self).map { _ in "" })
      .assign(to: &$message)
    // Not `assign(to: &$isOn)`: a pipeline from a property to the same property keeps itself alive.
    failures
      .sink { [weak self] _ in self?.isOn = false }
      .store(in: &subscriptions)
  }
}
