import BenchmarkSupport

extension ByHand {

  /// A list of closures, each of which receives the previous one's result.
  public static func chain(length: Int) -> Work? {
    { count, checksum in
      let transforms = opaque(HandChain(length: length) { $0 % 2 == 0 ? opaque { $0 &+ 1 } : opaque { $0 &+ 2 } })
      let sink: (Int) -> Void = opaque { checksum.add($0) }
      for element in 0..<count { sink(transforms(element)) }
    }
  }

  public static func makeAudience(size: Int, _ checksum: Checksum) -> Inlets.Inlet? {
    let subject = opaque(HandSubject(count: size) { opaque { checksum.add($0) } })
    return { values in
      for value in values { subject.send(value) }
    }
  }
}
