// A decoder of an optional, where the function returns a value.

import Combine
import Foundation

struct User: Decodable {}

func user(_ data: PassthroughSubject<Data, any Error>) -> AnyPublisher<User, any Error> {
  data.decode(type: User?.self, decoder: JSONDecoder()).eraseToAnyPublisher()
}

// says 9:57: error: cannot convert return expression of type 'AnyPublisher<User?, any Error>' to return type 'AnyPublisher<User, any Error>'
