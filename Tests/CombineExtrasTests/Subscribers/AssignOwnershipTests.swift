import CombineExtras
import TestSupport
import Testing

@Suite struct AssignOwnershipTests {

  private final class Model {
    var number = 0
  }

  @Test func theUpstreamIsCancelledWhenTheObjectIsDead() {
    let upstream = ManualPublisher<Int, Never>()
    var model: Model? = Model()
    let cancellable = upstream.assign(to: \.number, on: model!, ownership: .weak)
    upstream.send(1)
    #expect(model?.number == 1)
    #expect(upstream.history == [.requested(.unlimited)])
    model = nil
    upstream.send(2)
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
    cancellable.cancel()
    #expect(upstream.history == [.requested(.unlimited), .cancelled])
  }

  @Test func aValueAfterTheDeathOfAnUnownedObjectEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      let subject = PassthroughSubject<Int, Never>()
      var model: Model? = Model()
      let cancellable = subject.assign(to: \.number, on: model!, ownership: .unowned)
      model = nil
      subject.send(1)
      cancellable.cancel()
    }
  }
}
