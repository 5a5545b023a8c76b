import Combine
import Store
import Synchronization
import Views

@main
struct App {

  static func main() {
    let (texts, model) = receivedTexts()
    let isObservable = model is any Combine.ObservableObject
    print(texts == ["a", "ab", "b"] && isObservable ? "one set of types: ok" : "\(texts)")
  }
}

/// Publishers of both packages meet in the operators of this library, which the compiler accepts only for one set of types.
///
/// It is not a part of `main`, which is isolated to the main actor: a closure is called on a queue.
func receivedTexts() -> (texts: [String], model: Any) {
  let store = Store()
  let model = TitleModel()
  let done = DispatchSemaphore(value: 0)
  let received = Received()

  let merged: Publishers.Merge<AnyPublisher<String, Never>, PassthroughSubject<String, Never>> =
    model.titles.merge(with: store.changes)
  let pairs: Publishers.CombineLatest<AnyPublisher<String, Never>, AnyPublisher<String, Never>> =
    model.titles.combineLatest(store.changes(on: DispatchQueue(label: "changes")))
  let sinks = [
    merged.sink { received.append($0) },
    pairs.sink { first, second in
      received.append(first + second)
      done.signal()
    },
  ]
  model.title = "a"
  store.changes.send("b")
  done.wait()
  for sink in sinks { sink.cancel() }

  return (received.texts, model)
}

/// The received texts, in alphabetical order.
private final class Received: Sendable {

  private let values = Mutex<[String]>([])

  var texts: [String] { values.withLock { $0.sorted() } }

  func append(_ text: String) {
    values.withLock { $0.append(text) }
  }
}
