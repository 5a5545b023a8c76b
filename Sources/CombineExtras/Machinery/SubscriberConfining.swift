import CombineCore

// The publishers of this module that show their subscriber to no code outside this package. Without this list each element
// that passes one of them erased takes ten times as long.

// MARK: Concurrency, isolation

extension DeferredTask: SubscriberConfining {}
extension Publishers.AsyncMap: SubscriberConfining {}
extension Publishers.AsyncSequence: SubscriberConfining {}
extension Publishers.ReceiveOnActor: SubscriberConfining {}
extension Publishers.TryAsyncMap: SubscriberConfining {}

// MARK: Error handling

extension Publishers.CatchType: SubscriberConfining {}
extension Publishers.Deadline: SubscriberConfining {}
extension Publishers.DeadlineFallback: SubscriberConfining {}
extension Publishers.RetryWhen: SubscriberConfining {}
extension Publishers.RetryWithPolicy: SubscriberConfining {}

// MARK: Grouping

extension GroupedPublisher: SubscriberConfining {}
extension Publishers.CollectByInterval: SubscriberConfining {}
extension Publishers.CollectByStep: SubscriberConfining {}
extension Publishers.GroupBy: SubscriberConfining {}
extension Publishers.WindowByCount: SubscriberConfining {}
extension Publishers.WindowByTime: SubscriberConfining {}
extension WindowPublisher: SubscriberConfining {}

// MARK: Lifetime

extension Publishers.Finally: SubscriberConfining {}
extension Publishers.Repeat: SubscriberConfining {}
extension Using: SubscriberConfining {}

// MARK: Mapping, materializing

extension Publishers.DematerializedSignals: SubscriberConfining {}
extension Publishers.Enumerated: SubscriberConfining {}
extension Publishers.ExhaustMap: SubscriberConfining {}
extension Publishers.MaterializedSignals: SubscriberConfining {}

// MARK: Mixing, sharing

extension CombineLatestAll: SubscriberConfining {}
extension CombineLatestEachPack: SubscriberConfining {}
extension Publishers.Amb: SubscriberConfining {}
extension Publishers.CombineLatestEach: SubscriberConfining {}
extension Publishers.MergeEach: SubscriberConfining {}
extension Publishers.ReferenceCounted: SubscriberConfining {}
extension Publishers.WithLatest: SubscriberConfining {}
extension Publishers.ZipEach: SubscriberConfining {}
extension ZipAll: SubscriberConfining {}
extension ZipEachPack: SubscriberConfining {}

// MARK: Slicing

extension Publishers.DropLast: SubscriberConfining {}
extension Publishers.PrefixThrough: SubscriberConfining {}
extension Publishers.Suffix: SubscriberConfining {}

// MARK: Sources

extension CurrentValueRelay: SubscriberConfining {}
extension PassthroughRelay: SubscriberConfining {}
extension Publishers.Create: SubscriberConfining {}
extension Publishers.Timer: SubscriberConfining {}
extension ReplaySubject: SubscriberConfining {}

// MARK: Timing

extension Publishers.DelaySubscription: SubscriberConfining {}
extension Publishers.RateLimit: SubscriberConfining {}
extension Publishers.Sample: SubscriberConfining {}
extension Publishers.SampleByTime: SubscriberConfining {}
extension Publishers.ThrottleInterval: SubscriberConfining {}
extension Publishers.ThrottleUntil: SubscriberConfining {}
