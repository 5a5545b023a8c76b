import Dispatch
import OpenCombineDispatch
import Testing

@Suite struct DispatchQueueTests {

  private static let key = DispatchSpecificKey<Int>()

  /// A queue whose actions know that they run on it.
  private let queue: DispatchQueue = {
    let queue = DispatchQueue(label: "actions")
    queue.setSpecific(key: key, value: 7)
    return queue
  }()

  private static var isOnQueue: Bool { DispatchQueue.getSpecific(key: key) == 7 }

  @Test func runsActionsOnTheQueueAndNotAtOnce() {
    let done = DispatchSemaphore(value: 0)
    queue.suspend()
    var isOnQueue = false  // Written on the queue, and read after the semaphore.
    queue.ocombine.schedule {
      isOnQueue = Self.isOnQueue
      done.signal()
    }
    #expect(done.wait(timeout: .now()) == .timedOut)
    queue.resume()
    done.wait()
    #expect(isOnQueue)
  }

  @Test func runsActionsAtADate() {
    let done = DispatchSemaphore(value: 0)
    let scheduler = queue.ocombine
    let date = scheduler.now.advanced(by: .milliseconds(20))
    var time: DispatchQueue.OCombine.SchedulerTimeType?  // Read after the semaphore.
    scheduler.schedule(after: date) {
      time = Self.isOnQueue ? scheduler.now : nil
      done.signal()
    }
    done.wait()
    #expect(time.map { $0 >= date } == true)
  }

  @Test func repeatsAnActionUntilTheCancel() {
    let done = DispatchSemaphore(value: 0)
    var runs = 0  // Written on the queue, and read there.
    let repetition = queue.ocombine.schedule(after: queue.ocombine.now, interval: .milliseconds(1)) {
      runs += 1
      if runs == 3 { done.signal() }
    }
    done.wait()
    repetition.cancel()
    let runsAtTheCancel = queue.sync { runs }
    // Ten intervals later there was no other run.
    queue.ocombine.schedule(after: queue.ocombine.now.advanced(by: .milliseconds(10))) { done.signal() }
    done.wait()
    #expect(queue.sync { runs } == runsAtTheCancel)
  }

  @Test func passesTheOptionsOn() {
    let group = DispatchGroup()
    var isDone = false  // Read after the group.
    queue.suspend()
    queue.ocombine.schedule(options: .init(qos: .utility, group: group)) { isDone = true }
    #expect(group.wait(timeout: .now()) == .timedOut)
    queue.resume()
    group.wait()
    #expect(isDone)
  }

  @Test func isASchedulerOfOperators() {
    let done = DispatchSemaphore(value: 0)
    var values: [Int] = []  // Written on the queue, and read after the semaphore.
    let sink = [1, 2].publisher
      .delay(for: .milliseconds(1), scheduler: queue.ocombine)
      .receive(on: DispatchQueue.OCombine(queue), options: .init(qos: .utility))
      .filter { _ in Self.isOnQueue }
      .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { values.append($0) })
    done.wait()
    #expect(values == [1, 2])
    sink.cancel()
  }

  @Test func theTimesAreThoseOfTheQueueItself() {
    let time: DispatchQueue.SchedulerTimeType = queue.ocombine.now
    let later: DispatchQueue.OCombine.SchedulerTimeType = time.advanced(by: .seconds(2))
    let stride: DispatchQueue.OCombine.SchedulerTimeType.Stride = time.distance(to: later)
    #expect(stride == .seconds(2))
    #expect(queue.ocombine.minimumTolerance == queue.minimumTolerance)
    #expect(queue.ocombine.queue === queue)
  }
}
