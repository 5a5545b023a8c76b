// The ways in which old code names what it imports. Each declaration here must compile.
import class OpenCombine.CurrentValueSubject
import protocol OpenCombine.Publisher
import OpenCombine
import Testing

/// A view model as in user interfaces that were written for OpenCombine.
private final class Counter: OpenCombine.ObservableObject {

  @OpenCombine.Published var count = 0
  @Published var step = 1
}

@Suite struct NameTests {

  @Test func declarationsOfTheLibraryAreFoundUnderTheModuleName() {
    let subject: OpenCombine.PassthroughSubject<Int, Never> = PassthroughSubject()
    var values: [Int] = []
    let sink: OpenCombine.AnyCancellable = subject.sink { values.append($0) }
    subject.send(1)
    #expect(values == [1])
    sink.cancel()
  }

  @Test func publishedPropertiesAnnounceTheirObject() {
    let counter = Counter()
    var announcements = 0
    var counts: [Int] = []
    let sinks = [counter.objectWillChange.sink { announcements += 1 }, counter.$count.sink { counts.append($0) }]
    counter.count += counter.step
    counter.step = 2
    #expect(announcements == 2)
    #expect(counts == [0, 1])
    for sink in sinks { sink.cancel() }
  }

  @Test func scopedImportsFindTheTypesOfTheLibrary() {
    func first<P: Publisher>(of publisher: P) -> P.Output? where P.Failure == Never {
      var value: P.Output?
      let sink = publisher.first().sink { value = $0 }
      sink.cancel()
      return value
    }
    #expect(first(of: CurrentValueSubject(3)) == 3)
  }

  @Test func thereAreTheOperatorsThatOpenCombineLacks() {
    let first = PassthroughSubject<Int, Never>()
    let second = PassthroughSubject<Int, Never>()
    var merged: [Int] = []
    var pairs: [[Int]] = []
    let sinks = [
      first.merge(with: second).sink { merged.append($0) },
      first.combineLatest(second).sink { pairs.append([$0, $1]) },
    ]
    first.send(1)
    second.send(2)
    first.send(3)
    #expect(merged == [1, 2, 3])
    #expect(pairs == [[1, 2], [3, 2]])
    for sink in sinks { sink.cancel() }
  }

  @Test func thereAreTheValuesOfAPublisher() async {
    var values: [Int] = []
    for await value in [1, 2].publisher.values { values.append(value) }
    #expect(values == [1, 2])
  }
}
