import Combine
import Foundation

/// Three subscribers to the answer of a server: each with a request of its own, or all with one.
final class SharedRequest: ObservableObject {

  /// What each subscriber got.
  @Published private(set) var answers = ["", "", ""]

  /// How many requests the server has counted.
  @Published private(set) var hits = 0

  /// Whether a request waits for its start.
  @Published private(set) var isPrepared = false

  private let request: AnyPublisher<String, Never>
  private let countHits: () -> Int
  private let stages: Stages
  private var prepared: (any ConnectablePublisher<String, Never>)?
  private var subscriptions: Set<AnyCancellable> = []

  /// - Parameters:
  ///   - url: Where the answer comes from.
  ///   - countHits: The server's count of requests to there.
  ///   - stages: Where the events of the requests go.
  init(url: URL, countHits: @escaping () -> Int, stages: Stages = .none) {
    self.countHits = countHits
    self.stages = stages
    request = URLSession.shared.dataTaskPublisher(for: url)
      .map { data, _ in String(decoding: data, as: UTF8.self) }
      .replaceError(with: "no answer")
      .receive(on: DispatchQueue.main)
      .stage("request", in: stages, label: Self.number)
      .eraseToAnyPublisher()
  }

  /// Three subscribers, three requests.
  func askEach() {
    subscribe(to: request)
  }

  /// Three subscribers, one request: it starts with the first.
  func askOnce() {
    subscribe(to: request.share())
  }

  /// Three subscribers, one request: it starts when told to.
  func prepare() {
    let multicast = request.multicast(subject: PassthroughSubject())
    subscribe(to: multicast)
    prepared = multicast
    isPrepared = true
  }

  /// Starts what was prepared.
  func connect() {
    prepared?.connect().store(in: &subscriptions)
    prepared = nil
    isPrepared = false
  }

  /// What is written on an answer's marble.
  private static func number(of answer: String) -> String {
    answer.replacing("answer ", with: "")
  }

  private func subscribe(to publisher: some Publisher<String, Never>) {
    subscriptions = []
    prepared = nil
    isPrepared = false
    answers = answers.map { _ in "…" }
    for index in answers.indices {
      publisher
        .stage("subscriber \(index + 1)", in: stages, label: Self.number)
        .sink { [weak self] answer in
          guard let self else { return }
          answers[index] = answer
          hits = countHits()
        }
        .store(in: &subscriptions)
    }
  }
}
