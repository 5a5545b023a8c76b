import CombineTesting
import Dispatch

/// A view model of an app: it waits for a pause in the typing, asks a service, and shows the answer on a given
/// scheduler.
final class SearchModel {

  @Published var text = ""

  private(set) var queries: [String] = []
  private(set) var result = "none"

  private var cancellables: Set<AnyCancellable> = []

  init(
    scheduler: AnySchedulerOf<DispatchQueue>,
    search: @escaping (String) -> AnyPublisher<String, Never> = { Just("result for \($0)").eraseToAnyPublisher() }
  ) {
    $text
      .dropFirst()
      .removeDuplicates()
      .filter { !$0.isEmpty }
      .debounce(for: .milliseconds(300), scheduler: scheduler)
      .handleEvents(receiveOutput: { [unowned self] in queries.append($0) })
      .map(search)
      .switchToLatest()
      .receive(on: scheduler)
      .sink { [unowned self] in result = $0 }
      .store(in: &cancellables)
  }
}
