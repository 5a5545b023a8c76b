import CombineCore
import CombineExt
import CombineSchedulers
import Entwine
import EntwineTest

let others: [Any.Type] = [
  OtherCombineExt.self, OtherCombineSchedulers.self, OtherEntwine.self, OtherEntwineTest.self,
]
let cancellable = others.publisher.count().sink { print("\($0) other libraries") }
cancellable.cancel()
