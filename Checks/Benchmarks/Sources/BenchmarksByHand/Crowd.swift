import BenchmarkSupport

extension ByHand {

  public static func makeCrowd() -> (any Crowd)? { ClosureCrowd() }
}

/// A list of closures, in which a cancelled member leaves a gap.
private final class ClosureCrowd: Crowd {

  private var members: [((Int) -> Void)?] = []

  func reserve(_ count: Int) {}

  func join() {
    members.append({ _ in })
  }

  func leave(_ index: Int) {
    members[index] = nil
  }
}
