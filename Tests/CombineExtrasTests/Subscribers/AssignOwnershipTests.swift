import CombineExtras
import TestSupport
import Testing

@Suite struct AssignOwnershipTests {

  private final class Model {
    var number = 0
  }

  @Test func theUpstreamIsCancelledWhenAllObjectsAreDead() {
    let upstream = ManualPublisher<Int, Never>()
    var models: [Model] = [Model(), Model()]
    let cancellable = upstream.assign(
      to: \.number,
      on: models[0],
      and: \.number,
      on: models[1],
      ownership: .weak
    )
    upstream.send(1)
    models.removeFirst()
    upstream.send(2)
    #expect(models[0].number == 2)
    #expect(upstream.history == [.requested(.unlimited)])
    models.removeFirst()
    upstream.send(3)
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
