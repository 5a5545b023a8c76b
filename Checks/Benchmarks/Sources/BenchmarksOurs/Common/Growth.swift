import BenchmarkSupport

// This source is compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Pipelines {

  /// Returns a chain of `length` `map`s with two alternating closures, each of which knows the type of the previous
  /// one. The longest chain is erased in the middle, because the optimizer does not specialize types that are nested
  /// more than fifty deep.
  public static func chain(length: Int) -> Work? {
    switch length {
    case 1: { run(maps1(source($0)), $1) }
    case 2: { run(maps2(source($0)), $1) }
    case 4: { run(maps4(source($0)), $1) }
    case 8: { run(maps8(source($0)), $1) }
    case 16: { run(maps16(source($0)), $1) }
    case 32: { run(maps32(source($0)), $1) }
    case 64: { run(maps32(maps32(source($0)).eraseToAnyPublisher()), $1) }
    default: nil
    }
  }

  public static func makeAudience(size: Int, _ checksum: Checksum) -> Inlets.Inlet? {
    let subject = PassthroughSubject<Int, Never>()
    let cancellables = (0..<size).map { _ in
      subject.sink { checksum.add($0) }
    }
    return { values in
      withExtendedLifetime(cancellables) {
        for value in values { subject.send(value) }
      }
    }
  }
}

/// A publisher of which chains are made. Each link returns an opaque type. With its full type spelled out, a chain of
/// thirty-two would take the type checker hours.
private protocol Chain: Publisher where Output == Int, Failure == Never {}

extension Publishers.Sequence: Chain where Elements.Element == Int, Failure == Never {}
extension Publishers.Map: Chain where Upstream: Chain, Output == Int {}
extension AnyPublisher: Chain where Output == Int, Failure == Never {}

private func source(_ count: Int) -> some Chain {
  Publishers.Sequence<Range<Int>, Never>(sequence: 0..<count)
}

private func run(_ chain: some Chain, _ checksum: Checksum) {
  chain.sink { checksum.add($0) }.cancel()
}

private func maps1(_ upstream: some Chain) -> some Chain { Publishers.Map(upstream: upstream) { $0 &+ 1 } }
private func others(_ upstream: some Chain) -> some Chain { Publishers.Map(upstream: upstream) { $0 &+ 2 } }
private func maps2(_ upstream: some Chain) -> some Chain { others(maps1(upstream)) }
private func maps4(_ upstream: some Chain) -> some Chain { maps2(maps2(upstream)) }
private func maps8(_ upstream: some Chain) -> some Chain { maps4(maps4(upstream)) }
private func maps16(_ upstream: some Chain) -> some Chain { maps8(maps8(upstream)) }
private func maps32(_ upstream: some Chain) -> some Chain { maps16(maps16(upstream)) }
