// A loop over a publisher instead of its values.

import Combine

func show(_ texts: PassthroughSubject<String, Never>) async {
  for await text in texts { print(text) }
}

// says 6:21: error: for-in loop requires 'PassthroughSubject<String, Never>' to conform to 'AsyncSequence'
