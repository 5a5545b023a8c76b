import BenchmarkSupport

// This source is compiled twice: the file of this name among OpenCombine's benchmarks is a link to this one.
#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

/// A subscriber that counts the received values, and requests a value only when it is told to.
private final class Asker: Subscriber {

  private var subscription: (any Subscription)?
  private(set) var shares: [Int]

  init(shares count: Int) {
    shares = Array(repeating: 0, count: count)
  }

  func ask(_ times: Int) {
    for _ in 0..<times { subscription?.request(.max(1)) }
  }

  func receive(subscription: any Subscription) { self.subscription = subscription }

  func receive(_ input: Int) -> Subscribers.Demand {
    shares[input] += 1
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}

extension Pipelines {

  /// Returns `amount` upstreams, each of which sends its number for every request.
  public static func makeAsking(_ asked: Asked, amount: Int) -> Asking? {
    let upstreams = (0..<amount).map {
      Publishers.Sequence<Repeated<Int>, Never>(sequence: repeatElement($0, count: 1 << 40))
    }
    let asker = Asker(shares: amount)
    switch asked {
    case .flatMap:
      Publishers.Sequence<[Publishers.Sequence<Repeated<Int>, Never>], Never>(sequence: upstreams)
        .flatMap { $0 }.subscribe(asker)
      return Asking(ask: asker.ask) { asker.shares }
    case .zip:
      guard amount == 2 else { return nil }
      Publishers.Zip(upstreams[0], upstreams[1]).map { $0.0 }.subscribe(asker)
      return Asking(ask: asker.ask)
    case .switchToLatest:
      Publishers.Sequence<[Publishers.Sequence<Repeated<Int>, Never>], Never>(sequence: upstreams)
        .switchToLatest().subscribe(asker)
      return Asking(ask: asker.ask)
    case .share:
      // `share` always requests unlimited demand from its source, so an endless source would never end. This one sends
      // nothing.
      let shared = PassthroughSubject<Int, Never>().share()
      let askers = (0..<amount).map { _ in Asker(shares: 1) }
      for asker in askers { shared.subscribe(asker) }
      var next = 0
      return Asking(ask: { times in
        for _ in 0..<times {
          askers[next].ask(1)
          next = next + 1 < askers.count ? next + 1 : 0
        }
      })
    case .buffer:
      let subject = PassthroughSubject<Int, Never>()
      subject.buffer(size: amount, prefetch: .byRequest, whenFull: .dropNewest).subscribe(asker)
      for _ in 0..<amount { subject.send(0) }
      return Asking(ask: { times in
        for _ in 0..<times {
          asker.ask(1)
          subject.send(0)
        }
      })
    case .merge, .combineLatest:
      #if OPENCOMBINE
        return nil
      #else
        if asked == .merge {
          Publishers.MergeMany(upstreams).subscribe(asker)
          return Asking(ask: asker.ask) { asker.shares }
        }
        guard amount == 2 else { return nil }
        Publishers.CombineLatest(upstreams[0], upstreams[1]).map { $0.0 }.subscribe(asker)
        return Asking(ask: asker.ask)
      #endif
    }
  }
}
