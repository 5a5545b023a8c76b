// removeDuplicates of elements that cannot be compared.

import Combine

struct User {}

func changes(_ users: PassthroughSubject<User, Never>) -> AnyCancellable {
  users.removeDuplicates().sink { print($0) }
}

// says 8:9: error: referencing instance method 'removeDuplicates()' on 'Publisher' requires that 'User' conform to 'Equatable'
