// A decoder for a type that cannot be decoded.

import Combine
import Foundation

struct User {}

func user(_ data: PassthroughSubject<Data, any Error>) -> AnyPublisher<User, any Error> {
  data.decode(type: User.self, decoder: JSONDecoder()).eraseToAnyPublisher()
}

// says 9:8: error: instance method 'decode(type:decoder:)' requires that 'User' conform to 'Decodable'
