import CombineExt
import Entwine
import Testing

/// Names that both modules declare.
@Suite struct SharedNamesTests {

  private typealias OfCombineExt = CombineExt.ReplaySubject<Int, Never>
  private typealias OfEntwine = Entwine.ReplaySubject<Int, Never>

  @Test func replaySubjectIsOneType() {
    let isOneType = ObjectIdentifier(OfCombineExt.self) == ObjectIdentifier(OfEntwine.self)
    #expect(isOneType)
    // Each module has added an initializer to it.
    let subjects = [OfCombineExt(bufferSize: 1), OfEntwine(maxBufferSize: 1)]
    var values: [Int] = []
    for (index, subject) in subjects.enumerated() {
      subject.send(index)
      subject.sink { values.append($0) }.cancel()
    }
    #expect(values == [0, 1])
  }
}
