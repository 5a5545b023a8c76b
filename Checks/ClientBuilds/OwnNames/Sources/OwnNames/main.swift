import Combine
import CombineSchedulers
import Dispatch

// In another file, the compiler looks the name up among those of all modules that are loaded.
extension Publishers.Create where Failure == Never {

  init(_ values: Output...) {
    self.init(send: { for value in values { $0.send(value) } }, scheduler: .immediate)
  }
}

var received: [Int] = []
let numbers: Publishers.Create<Int, Never> = Publishers.Create(1, 2)
let cancellable = numbers.sink { received.append($0) }
_ = Publishers.Amb()
let usesItsOwn = useOldOperators()
print("own names: \(received == [1, 2] && usesItsOwn ? "ok" : "\(received), \(calls)")")
