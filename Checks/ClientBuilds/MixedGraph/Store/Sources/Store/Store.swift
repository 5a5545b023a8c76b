import Dispatch
import OpenCombineShim

public struct Store {

  public let changes = OpenCombineShim.PassthroughSubject<String, Never>()

  public init() {}

  public func changes(on queue: DispatchQueue) -> AnyPublisher<String, Never> {
    changes.receive(on: queue.ocombine).eraseToAnyPublisher()
  }
}
