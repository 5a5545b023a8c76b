import BenchmarkReports
import BenchmarkSupport
import Testing

@Suite struct FloorTests {

  @Test(arguments: Workload.allCases)
  func everyWorkloadThatIsFastEnoughPasses(_ workload: Workload) {
    #expect(failures(workload, speedup: 1.01) == [])
  }

  @Test(arguments: Workload.allCases.filter { $0.definition.floor != nil })
  func everyWorkloadWithAFloorFailsBelowIt(_ workload: Workload) {
    #expect(failures(workload, speedup: 0.99).count == 1)
    #expect(failures(workload, speedup: 0.99).first?.part == .workload(workload))
  }

  @Test(arguments: Workload.allCases.filter { $0.definition.floor != nil })
  func aMeasurementWithoutAPeerFails(_ workload: Workload) {
    let row = WorkloadRow(workload: workload, measurements: [.ours: measurement(nanoseconds: 1)])
    #expect(!Report(rounds: 1, workloads: [row]).failures.isEmpty)
  }

  @Test func aTimeThatIsNoNumberFails() {
    #expect(failures(.zip, speedup: .nan).count == 1)
  }

  @Test func aSingleAllocationPerElementFails() {
    #expect(failures(.zip, allocations: 1).count == 1)
  }

  @Test func anAllocationForEveryThousandthElementFails() {
    #expect(failures(.zip, allocations: 0.001).count == 1)
  }

  @Test func uncountedAllocationsFail() {
    #expect(failures(.zip, allocations: nil).count == 1)
  }

  @Test func anInnerSubscriptionMayAllocateWhatItNeeds() {
    #expect(failures(.flatMapThousands, allocations: 0.001) == [])
    #expect(failures(.flatMapThousands, allocations: 0.002).count == 1)
  }

  @Test func aSchedulerMayAllocateWhatItNeeds() {
    #expect(failures(.receiveOn, allocations: 3.001, byHand: 2.999) == [])
    #expect(failures(.receiveOn, allocations: 3.1, byHand: 3).count == 1)
  }

  @Test(arguments: [(Workload.tenMaps, 1.15), (.receiveOn, 1.3)])
  func someRowsPassThatAreNearlyAsFastAsHandwrittenCode(_ workload: Workload, _ limit: Double) {
    #expect(failures(workload, speedup: 0.5, overhead: 0.99 * limit) == [])
    #expect(failures(workload, speedup: 0.5, overhead: 1.01 * limit).count == 1)
    #expect(failures(workload, speedup: 1.01, overhead: 1.01 * limit) == [])
  }

  @Test func otherRowsFailBelowTheFloorEvenIfAsFastAsHandwrittenCode() {
    #expect(failures(.sequenceMapFilterSink, speedup: 0.5, overhead: 1).count == 1)
    #expect(failures(.receiveOnBacklog, speedup: 0.5, overhead: 1).count == 1)
  }

  /// Returns the failures for a multiple of the guarded speed and a multiple of the time of the handwritten code.
  private func failures(
    _ workload: Workload,
    speedup: Double = 2,
    allocations: Double? = 0,
    byHand: Double? = 0,
    overhead: Double = 2
  ) -> [Failure] {
    var measurements: [ContestantName: Measurement] = [
      .ours: measurement(nanoseconds: 10, allocations),
      .byHand: measurement(nanoseconds: 10, byHand),
    ]
    let speedup = Workload.Floor.guarded * speedup
    switch workload.definition.floor {
    case .openCombine(let promised, _)?:
      measurements[.openCombine] = measurement(nanoseconds: 10 * promised * speedup)
      measurements[.byHand] = measurement(nanoseconds: 10 / overhead, byHand)
    case .byHand(let ceiling)?:
      measurements[.byHand] = measurement(nanoseconds: 10 / ceiling * speedup, byHand)
    case .composed(let ceiling)?:
      measurements[.composed] = measurement(nanoseconds: 10 / ceiling * speedup, byHand)
    case nil:
      break
    }
    return Report(rounds: 1, workloads: [WorkloadRow(workload: workload, measurements: measurements)]).failures
  }

  private func measurement(nanoseconds: Double, _ allocations: Double? = 0) -> Measurement {
    var measurement = Measurement(rounds: [nanoseconds])
    measurement.allocationsPerElement = allocations
    return measurement
  }
}
