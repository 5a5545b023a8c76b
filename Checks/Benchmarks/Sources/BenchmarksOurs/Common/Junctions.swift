import BenchmarkSupport

// This source is compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Pipelines {

  public static func makeJunction(_ kind: Junction, _ sum: Sum) -> Inlets? {
    switch kind {
    case .subject: subject(sum)
    #if OPENCOMBINE
      case .merge: nil
    #else
      case .merge: merge(sum)
    #endif
    }
  }

  private static func subject(_ sum: Sum) -> Inlets {
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink { sum.add($0) }
    return Inlets(first: inlet(subject), second: inlet(subject), owner: cancellable)
  }

  #if !OPENCOMBINE
    private static func merge(_ sum: Sum) -> Inlets {
      let first = PassthroughSubject<Int, Never>()
      let second = PassthroughSubject<Int, Never>()
      let cancellable = Publishers.Merge(first, second).sink { sum.add($0) }
      return Inlets(first: inlet(first), second: inlet(second), owner: cancellable)
    }
  #endif

  private static func inlet(_ subject: PassthroughSubject<Int, Never>) -> Inlets.Inlet {
    { values in
      for value in values { subject.send(value) }
    }
  }
}
