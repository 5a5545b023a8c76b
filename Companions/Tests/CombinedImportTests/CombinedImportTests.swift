// One file that imports a module with a known name as well as swift-combine's module for tests.
import CombineSchedulers
import CombineTesting
import Dispatch
import Foundation
import Testing

@Suite struct CombinedImportTests {

  @Test func namesAreNotAmbiguous() {
    let queue: TestSchedulerOf<DispatchQueue> = DispatchQueue.test
    let erased: AnySchedulerOf<DispatchQueue> = queue.eraseToAnyScheduler()
    #expect(erased.now == queue.now)
    let _: AnySchedulerOf<RunLoop> = .immediate
    let _: AnySchedulerOf<RunLoop> = .unimplemented("not used")
    let _: UnimplementedSchedulerOf<RunLoop> = RunLoop.unimplemented("not used")
    let _: Signal<Int, Never> = .input(1)
    let _ = Publishers.Timer(every: 1, scheduler: queue)
  }
}
