import Combine
import Foundation

/// Three subscribers to the answer of a server, with a separate request each or with a common one.
final class SharedRequest: ObservableObject {

  /// The answer that each subscriber received.
  @Published private(set) var answers = ["", "", ""]

  /// The number of requests that the server has counted.
  @Published private(set) var hits = 0

  /// Whether a request is ready to start.
  @Published private(set) var isPrepared = false

  private let request: AnyPublisher<String, Never>
  private let countHits: () -> Int
  private let stages: Stages
  private var prepared: (any ConnectablePublisher<String, Never>)?
  private var subscriptions: Set<AnyCancellable> = []

  /// - Parameters:
  ///   - url: The URL of the answer.
  ///   - countHits: A closure that returns the server's count of requests to that URL.
  ///   - stages: The stages that record the events of the requests.
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

  /// Three subscribers, one request, which starts with the first subscriber.
  func askOnce() {
    subscribe(to: request.share())
  }

  /// Three subscribers, one request, which starts when `connect()` is called.
  func prepare() {
    let multicast = request.multicast(subject: PassthroughSubject())
    subscribe(to: multicast)
    prepared = multicast
    isPrepared = true
  }

  /// Starts the prepared request.
  func connect() {
    prepared?.connect().store(in: &subscriptions)
    prepared = nil
    isPrepared = false
  }

  /// Returns the text for an answer's marble.
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
