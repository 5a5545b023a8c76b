import Foundation
import OpenCombineFoundation
import Testing

@Suite struct OperationQueueTests {

  private let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }()

  @Test func runsActionsOnTheQueue() {
    var queues: [OperationQueue?] = []
    queue.isSuspended = true
    queue.ocombine.schedule { queues.append(.current) }
    #expect(queue.operationCount == 1)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(queues == [queue])
  }

  @Test func runsActionsAtADate() {
    let scheduler = queue.ocombine
    let date = scheduler.now.advanced(by: .milliseconds(20))
    var time: OperationQueue.OCombine.SchedulerTimeType?
    scheduler.schedule(after: date) { time = scheduler.now }
    queue.waitUntilAllOperationsAreFinished()
    #expect(time.map { $0.date >= date.date } == true)
  }

  @Test func repeatsAnActionUntilTheCancel() {
    let done = DispatchSemaphore(value: 0)
    var runs = 0  // Written and read on the queue, one operation at a time.
    let repetition = queue.ocombine.schedule(after: queue.ocombine.now, interval: .milliseconds(1)) {
      runs += 1
      if runs == 3 { done.signal() }
    }
    done.wait()
    repetition.cancel()
    queue.waitUntilAllOperationsAreFinished()
    let runsAtTheCancel = runs
    // Ten intervals later there was no other run.
    queue.ocombine.schedule(after: queue.ocombine.now.advanced(by: .milliseconds(10))) { done.signal() }
    queue.waitUntilAllOperationsAreFinished()
    #expect(runs == runsAtTheCancel)
  }

  @Test func isASchedulerOfOperators() {
    var values: [Int] = []
    let sink = [1, 2].publisher
      .receive(on: OperationQueue.OCombine(queue))
      .sink { values.append($0) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(values == [1, 2])
    sink.cancel()
  }

  @Test func theTimesAreThoseOfTheQueueItself() {
    let time: OperationQueue.SchedulerTimeType = queue.ocombine.now
    let stride: OperationQueue.OCombine.SchedulerTimeType.Stride = time.distance(to: time.advanced(by: .seconds(2)))
    #expect(abs(stride.timeInterval - 2) < 1e-6)
    #expect(queue.ocombine.minimumTolerance == queue.minimumTolerance)
    #expect(queue.ocombine.queue === queue)
  }
}
