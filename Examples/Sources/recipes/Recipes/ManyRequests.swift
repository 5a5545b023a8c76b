import Combine
import Foundation

/// 42: a hundred good and bad addresses in turn, a few at a time. Each request is answered exactly once.
struct ManyRequests: Recipe {
  let number = 42
  let title = "Bad input: among good input, a hundred times"
  let kind = RecipeKind.badInput

  enum Answer: Equatable {
    case user(String)
    case noUser
    case noServer(URLError.Code)
  }

  func answer(from url: URL) -> some Publisher<Answer, Never> {
    URLSession.shared.dataTaskPublisher(for: url)
      .map(\.data)
      .decode(type: User.self, decoder: JSONDecoder())
      .map { .user($0.name) }
      .catch { error in Just((error as? URLError).map { .noServer($0.code) } ?? .noUser) }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let kinds: [(url: URL, answer: Answer)] = [
      (server.url("users/1"), .user("Ada Lovelace")),
      (server.url("malformed"), .noUser),
      (server.refusingAddress, .noServer(.cannotConnectToHost)),
      (server.url("users/997"), .noUser),
      (server.url("slow/5"), .user("Ada Lovelace")),
    ]
    var answers: [Int: [Answer]] = [:]
    let subscription = (0..<100).publisher
      .flatMap(maxPublishers: .max(8)) { index in
        answer(from: kinds[index % kinds.count].url).map { (index, $0) }
      }
      .receive(on: DispatchQueue.main)
      .sink(
        receiveCompletion: { timeline.log($0) },
        receiveValue: { index, answer in answers[index, default: []].append(answer) }
      )
    try timeline.wait(for: "finished")
    timeline.log("\(answers.count) answers")
    timeline.expect(["finished", "100 answers"])
    for index in 0..<100 {
      timeline.expect("answers to number \(index)", answers[index] ?? [], [kinds[index % kinds.count].answer])
    }
    subscription.cancel()
  }
}
