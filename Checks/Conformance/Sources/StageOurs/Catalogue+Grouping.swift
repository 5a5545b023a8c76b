import CombineCore
import CombineExtras
import Scripts
import SpecModels

/// Groups and windows, which are flattened in several ways.
extension Catalogue {

  /// What is done with publishers of groups or of windows.
  private struct Flattening {

    let name: String
    var parameters: [ClosedRange<Int>] = []
    var traits: Profile.Traits = []
    var exemptions = chained

    /// - Parameter first: The index of the first of its parameters.
    let flatten: (AnyPublisher<Numbers, Fault>, _ stage: Stage, _ first: Int) -> Numbers
  }

  private static var flattenings: [Flattening] {
    [
      Flattening(name: "flatMap", parameters: [0...2]) { parts, stage, first in
        parts.flatMap(maxPublishers: limit(stage.parameter(first))) { $0 }.eraseToAnyPublisher()
      },
      // A part is cancelled after some elements, and the next element of its key opens another group.
      Flattening(name: "flatMap prefix", parameters: [1...3]) { parts, stage, first in
        let count = stage.parameter(first)
        return parts.flatMap { $0.prefix(count) }.eraseToAnyPublisher()
      },
      // A part is cancelled when the next one comes.
      Flattening(name: "switchToLatest") { parts, _, _ in parts.switchToLatest().eraseToAnyPublisher() },
      // Parts go on after the cancel of their publisher.
      Flattening(name: "prefix flatMap", parameters: [1...3]) { parts, stage, first in
        parts.prefix(stage.parameter(first)).flatMap { $0 }.eraseToAnyPublisher()
      },
      // Elements and completions wait for the subscriber of their part.
      Flattening(
        name: "flatMap delaySubscription",
        parameters: [0...4],
        traits: .timed,
        exemptions: chained.union(pending)
      ) {
        parts,
        stage,
        first in
        let (delay, scheduler) = (stage.interval(first), stage.scheduler)
        return parts.flatMap { $0.delaySubscription(for: delay, scheduler: scheduler) }.eraseToAnyPublisher()
      },
      // Of two subscribers of a part, the second one gets a finish only.
      Flattening(name: "flatMap twice") { parts, _, _ in
        parts.flatMap { part in part.append(part) }.eraseToAnyPublisher()
      },
    ]
  }

  private static func flattened(
    _ name: String,
    parameters: [ClosedRange<Int>],
    traits: Profile.Traits = [],
    parts: @escaping (Stage) -> AnyPublisher<Numbers, Fault>
  ) -> [Entry] {
    flattenings.map { flattening in
      Entry(
        "\(name) \(flattening.name)",
        parameters: parameters + flattening.parameters,
        traits: traits.union(flattening.traits),
        exemptFrom: flattening.exemptions
      ) { stage in
        stage.present(flattening.flatten(parts(stage), stage, parameters.count))
      }
    }
  }

  private static func erased<Part: Publisher<Int, Fault>>(_ part: Part) -> Numbers { part.eraseToAnyPublisher() }

  static func grouped(by provider: Provider) -> [Entry] {
    flattened("groupBy", parameters: [0...3], traits: .closures) { stage in
      let maxGroups = stage.parameter(0) == 0 ? nil : stage.parameter(0)
      func key(_ value: Int) -> Int {
        stage.note(closure: "key(\(value))")
        return value % 4
      }
      return choose(
        provider,
        stage.source().groupBy(maxGroups: maxGroups, key).map(erased),
        SpecModels.GroupBy(stage.source(), maxGroups: maxGroups, key).map(erased)
      )
    }
      + flattened("window", parameters: [1...3, 1...3]) { stage in
        let (count, step) = (stage.parameter(0), stage.parameter(1))
        return choose(
          provider,
          stage.source().window(count, every: step).map(erased),
          SpecModels.Windows(stage.source(), count, every: step).map(erased)
        )
      }
  }

  static func timedWindows(by provider: Provider) -> [Entry] {
    [
      Entry("collect for", parameters: [1...4, 0...4, 0...3], traits: .timed, exemptFrom: pending) { stage in
        let (duration, interval, maxCount, scheduler) = times(stage)
        stage.present(
          choose(
            provider,
            stage.source().collect(for: duration, every: interval, maxCount: maxCount, scheduler: scheduler),
            SpecModels.Windows(stage.source(), for: duration, every: interval, maxCount: maxCount, scheduler: scheduler)
          )
        )
      }
    ]
      + flattened("window for", parameters: [1...4, 0...4, 0...3], traits: .timed) { stage in
        let (duration, interval, maxCount, scheduler) = times(stage)
        return choose(
          provider,
          stage.source().window(for: duration, every: interval, maxCount: maxCount, scheduler: scheduler).map(erased),
          SpecModels.Windows(stage.source(), for: duration, every: interval, maxCount: maxCount, scheduler: scheduler)
            .map(erased)
        )
      }
  }

  private typealias Stride = VirtualScheduler.SchedulerTimeType.Stride

  /// The duration, the interval if there is one, and the maximum count if there is one.
  private static func times(_ stage: Stage) -> (Stride, Stride?, Int?, VirtualScheduler) {
    (
      stage.interval(0),
      stage.parameter(1) == 0 ? nil : stage.interval(1),
      stage.parameter(2) == 0 ? nil : stage.parameter(2),
      stage.scheduler
    )
  }
}
