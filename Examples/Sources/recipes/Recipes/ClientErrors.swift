import Combine
import Foundation

/// 5: a client API with one error type, so that its callers can switch over the errors.
struct ClientErrors: Recipe {
  let number = 5
  let title = "One error type for a client API"

  enum APIError: Error, Equatable {
    case unauthorized
    case forbidden
    case notFound
    case clientError(status: Int)
    case serverError(status: Int)
    case unexpectedResponse
    case network(URLError.Code)
  }

  func fetch(url: URL) -> AnyPublisher<Data, APIError> {
    URLSession.shared.dataTaskPublisher(for: url)
      .tryMap { data, response in
        guard let response = response as? HTTPURLResponse else { throw APIError.unexpectedResponse }
        switch response.statusCode {
        case 200...299: return data
        case 401: throw APIError.unauthorized
        case 403: throw APIError.forbidden
        case 404: throw APIError.notFound
        case 405...499: throw APIError.clientError(status: response.statusCode)
        case 500...599: throw APIError.serverError(status: response.statusCode)
        default: throw APIError.unexpectedResponse
        }
      }
      .mapError { error in
        switch error {
        case let error as APIError: error
        case let error as URLError: .network(error.code)
        default: .unexpectedResponse
        }
      }
      .eraseToAnyPublisher()
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    var requests = ["users/1", "status/401", "status/403", "status/404", "status/402"].map { ($0, server.url($0)) }
    requests += [405, 499, 500, 599].map { ("status/\($0)", server.url("status/\($0)")) }
    requests.append(("nobody listening", server.refusingAddress))

    for (name, url) in requests {
      var hasEnded = false
      let request = fetch(url: url)
        .receive(on: DispatchQueue.main)
        .sink(
          receiveCompletion: { completion in
            switch completion {
            case .finished: timeline.log("\(name): finished")
            case .failure(.network(let code)): timeline.log("\(name): network error \(code.rawValue)")
            case .failure(let error): timeline.log("\(name): \(error)")
            }
            hasEnded = true
          },
          receiveValue: { _ in timeline.log("\(name): answered") }
        )
      try timeline.wait(for: "the end of \(name)", until: hasEnded)
      request.cancel()
    }
    timeline.expect([
      "users/1: answered", "users/1: finished",
      "status/401: unauthorized",
      "status/403: forbidden",
      "status/404: notFound",
      "status/402: unexpectedResponse",
      "status/405: clientError(status: 405)",
      "status/499: clientError(status: 499)",
      "status/500: serverError(status: 500)",
      "status/599: serverError(status: 599)",
      "nobody listening: network error \(URLError.Code.cannotConnectToHost.rawValue)",
    ])
  }
}
