// A decoder of what a request publishes, which is a pair.

import Combine
import Foundation

struct User: Decodable {}

func user(at url: URL) -> AnyPublisher<User, any Error> {
  URLSession.shared.dataTaskPublisher(for: url)
    .decode(type: User.self, decoder: JSONDecoder())
    .eraseToAnyPublisher()
}

// says 10:6: error: instance method 'decode(type:decoder:)' requires the types 'URLSession.DataTaskPublisher.Output' (aka '(data: Data, response: URLResponse)') and 'JSONDecoder.Input' (aka 'Data') be equivalent
