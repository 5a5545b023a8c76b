// A key path to a property that does not exist.

import Combine

struct User {
  let name: String
}

func names(_ users: PassthroughSubject<User, Never>) -> AnyCancellable {
  users.map(\.nmae).sink { print($0) }
}

// says 10:13: error: value of type 'User' has no member 'nmae'
