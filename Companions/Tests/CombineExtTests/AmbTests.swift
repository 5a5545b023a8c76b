import CombineExt
import Testing

@Suite struct AmbTests {

  private let subjects = (0..<4).map { _ in PassthroughSubject<Int, TestError>() }

  @Test func aCollectionTakesPart() {
    let received = subjects[0].amb(with: subjects.dropFirst()).received()
    subjects[2].send(2)
    subjects[1].send(1)
    #expect(received.values == [2])
  }

  @Test func anyNumberOfPublishersTakesPart() {
    let received = subjects[0].amb(with: subjects[1], subjects[3]).received()
    subjects[3].send(3)
    subjects[0].send(0)
    #expect(received.values == [3])
  }
}
