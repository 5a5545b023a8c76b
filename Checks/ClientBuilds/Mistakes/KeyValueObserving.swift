// A publisher of a property that the runtime of Objective-C observes: row `key-value-observing.absent`.

import Combine
import Foundation
import FoundationNetworking

func show(_ task: URLSessionTask) -> AnyCancellable {
  task.publisher(for: \.state).sink { print($0) }
}

// says 8:8: error: value of type 'URLSessionTask' has no member 'publisher'
