import Dispatch
import OpenCombine
import OpenCombineDispatch

/// The model of a search field. It searches when the user pauses, and shows the results of the latest query.
public final class SearchModel: ObservableObject {

  @Published public var query = ""
  @Published public private(set) var titles: [String] = []
  @Published public private(set) var isSearching = false

  private var cancellables = Set<AnyCancellable>()

  public init(catalogue: Catalogue, pause: DispatchQueue.OCombine.SchedulerTimeType.Stride = .milliseconds(20)) {
    $query
      .dropFirst()
      .map { $0.lowercased() }
      .debounce(for: pause, scheduler: DispatchQueue.main.ocombine)
      .removeDuplicates()
      .handleEvents(receiveOutput: { [weak self] _ in self?.isSearching = true })
      .map { query in catalogue.titles(matching: query).replaceError(with: ["no connection"]) }
      .switchToLatest()
      .receive(on: DispatchQueue.main.ocombine)
      .sink { [weak self] titles in
        self?.isSearching = false
        self?.titles = titles
      }
      .store(in: &cancellables)
  }
}
