import Foundation
import OpenCombineShim

// The pipelines of the other files, and five of its own.
var cancellables = Set<AnyCancellable>()

let signUp = SignUp(taken: ["jack"])
signUp.objectWillChange
  .prefix(3)
  .count()
  .sink { print("\($0) changes") }
  .store(in: &cancellables)
signUp.$message.sink { print($0) }.store(in: &cancellables)
signUp.name = "Jill"
signUp.password = "Pass1234"
signUp.repetition = "Pass1234"

let search = Search(titles: ["alpha", "alphabet", "beta"])
search.summary.sink { print("summary \($0)") }.store(in: &cancellables)
search.refreshed.sink { print("refreshed \($0)") }.store(in: &cancellables)
search.decoded
  .sink(receiveCompletion: { print("decoding \($0)") }, receiveValue: { print("decoded \($0)") })
  .store(in: &cancellables)
search.encoded
  .sink(receiveCompletion: { print("encoding \($0)") }, receiveValue: { print("encoded \($0.count) characters") })
  .store(in: &cancellables)
search.query.send("al")
search.query.send("alphab")
search.refresh.send()
search.refresh.send()

let cart = Cart()
cart.$total
  .combined(with: cart.$isFree)
  .sink { print("total \($0)") }
  .store(in: &cancellables)
cart.items = [Item(name: "book", price: 12), Item(name: "lamp", price: 120)]
for item in cart.items { cart.events.send(item) }

let player = Player()
player.start()
for command in ["play", "next", "pause", "play", "stop"] { player.commands.send(command) }
for second in [1, 30, 60] { player.position.send(second) }
player.finish()

let feed = Feed()
feed.visible
  .sink(receiveCompletion: { print("feed \($0)") }, receiveValue: { print("\($0.count) posts") })
  .store(in: &cancellables)
feed.newest
  .sink(receiveCompletion: { print("newest \($0)") }, receiveValue: { print("newest \($0.id)") })
  .store(in: &cancellables)
feed.authors.sink { print($0) }.store(in: &cancellables)
feed.counts.sink { print("sum \($0)") }.store(in: &cancellables)
feed.failures.sink { print($0) }.store(in: &cancellables)
for page in 1...4 { feed.pages.send(page) }

extension Publisher where Failure == Never {

  /// Values as text, beside those of another publisher.
  func combined<Other: Publisher>(with other: Other) -> AnyPublisher<String, Never> where Other.Failure == Never {
    map { "\($0)" }
      .zip(other.map { "\($0)" })
      .map { $0 + " " + $1 }
      .eraseToAnyPublisher()
  }
}
