import Foundation
import OpenCombineShim

struct Item: Hashable {
  var name: String
  var price: Int
}

/// What is bought, and what it costs.
final class Cart: ObservableObject {

  @Published var items: [Item] = []
  @Published var discount = 0
  @Published private(set) var total = 0
  @Published private(set) var isFree = true

  let events = PassthroughSubject<Item, Never>()
  private var cancellables = Set<AnyCancellable>()

  init() {
    $items
      .map { $0.reduce(0) { $0 + $1.price } }
      .zip($discount)
      .map { max($0 - $1, 0) }
      .assign(to: &$total)

    $total
      .map { $0 == 0 }
      .removeDuplicates()
      .assign(to: &$isFree)

    events
      .collect(2)
      .map { $0.map(\.name) }
      .sink { print("bought \($0)") }
      .store(in: &cancellables)

    events
      .map(\.price)
      .scan((sum: 0, count: 0)) { ($0.sum + $1, $0.count + 1) }
      .map { Double($0.sum) / Double($0.count) }
      .filter { $0 > 10 }
      .sink { print("on average \($0)") }
      .store(in: &cancellables)

    events
      .compactMap { $0.price > 100 ? $0 : nil }
      .removeDuplicates()
      .first()
      .sink { print("the first dear item is \($0.name)") }
      .store(in: &cancellables)
  }
}
