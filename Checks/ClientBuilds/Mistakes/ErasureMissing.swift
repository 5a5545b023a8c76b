// A publisher that is not erased, where the function returns an erased one.

import Combine

func lengths(_ names: PassthroughSubject<String, Never>) -> AnyPublisher<Int, Never> {
  names.map { name in name.count }
}

// says 6:9: error: cannot convert return expression of type 'Publishers.Map<PassthroughSubject<String, Never>, Int>' to return type 'AnyPublisher<Int, Never>'
