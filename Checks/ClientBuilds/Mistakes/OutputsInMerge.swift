// Two publishers with different elements.

import Combine

func all(_ names: PassthroughSubject<String, Never>, _ ages: PassthroughSubject<Int, Never>) -> AnyCancellable {
  names.merge(with: ages).sink { print($0) }
}

// says 6:21: error: cannot convert value of type 'PassthroughSubject<Int, Never>' to expected argument type 'PassthroughSubject<String, Never>'
