import Combine
import Foundation

/// 37: a malformed URL, or one that a request cannot use, is a failure like any other.
struct BadURL: Recipe {
  let number = 37
  let title = "Bad input: malformed URL"
  let kind = RecipeKind.badInput

  enum FetchError: Error, Equatable {
    case malformedAddress(String)
    case network(URLError.Code)
  }

  func fetch(_ address: String) -> AnyPublisher<Data, FetchError> {
    guard let url = URL(string: address) else {
      return Fail(error: .malformedAddress(address)).eraseToAnyPublisher()
    }
    return URLSession.shared.dataTaskPublisher(for: url)
      .map(\.data)
      .mapError { .network($0.code) }
      .eraseToAnyPublisher()
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let addresses: [(String, FetchError)] = [
      ("", .malformedAddress("")),
      ("http://[half an address", .malformedAddress("http://[half an address")),
      ("http://two words/", .malformedAddress("http://two words/")),
      ("users/1", .network(.unsupportedURL)),
      ("gopher://127.0.0.1/", .network(.unsupportedURL)),
      ("http:///users/1", .network(.badURL)),
      ("http://127.0.0.1:99999/", .network(.badURL)),
    ]
    for (address, expected) in addresses {
      var failures: [FetchError] = []
      let request = fetch(address)
        .receive(on: DispatchQueue.main)
        .sink(
          receiveCompletion: { completion in
            guard case .failure(let error) = completion else { return timeline.log("\(address) finished") }
            failures.append(error)
          },
          receiveValue: { timeline.log("\(address) answered \($0.count) bytes") }
        )
      try timeline.wait(for: "the failure of \(address)", until: !failures.isEmpty)
      timeline.log("“\(address)”: \(failures[0])")
      timeline.expect(["“\(address)”: \(expected)"])
      timeline.expect("failures of \(address)", failures, [expected])
      request.cancel()
    }
  }
}
