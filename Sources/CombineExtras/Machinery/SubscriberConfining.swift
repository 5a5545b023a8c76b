import CombineCore

// The publishers of this module that show their subscriber to no code outside this package. Without this list each element
// that passes one of them erased takes ten times as long.

// MARK: Concurrency, isolation

extension DeferredTask: SubscriberConfining {}
extension ExtraPublishers.AsyncMap: SubscriberConfining {}
extension ExtraPublishers.AsyncSequence: SubscriberConfining {}
extension ExtraPublishers.ReceiveOnActor: SubscriberConfining {}
extension ExtraPublishers.TryAsyncMap: SubscriberConfining {}

// MARK: Error handling

extension ExtraPublishers.CatchType: SubscriberConfining {}
extension ExtraPublishers.Deadline: SubscriberConfining {}
extension ExtraPublishers.DeadlineFallback: SubscriberConfining {}
extension ExtraPublishers.RetryWhen: SubscriberConfining {}
extension ExtraPublishers.RetryWithPolicy: SubscriberConfining {}

// MARK: Grouping

extension GroupedPublisher: SubscriberConfining {}
extension ExtraPublishers.CollectByInterval: SubscriberConfining {}
extension ExtraPublishers.CollectByStep: SubscriberConfining {}
extension ExtraPublishers.GroupBy: SubscriberConfining {}
extension ExtraPublishers.WindowByCount: SubscriberConfining {}
extension ExtraPublishers.WindowByTime: SubscriberConfining {}
extension WindowPublisher: SubscriberConfining {}

// MARK: Lifetime

extension ExtraPublishers.Finally: SubscriberConfining {}
extension ExtraPublishers.Repeat: SubscriberConfining {}
extension Using: SubscriberConfining {}

// MARK: Mapping, filtering, materializing

extension ExtraPublishers.DematerializedSignals: SubscriberConfining {}
extension ExtraPublishers.Enumerated: SubscriberConfining {}
extension ExtraPublishers.ExhaustMap: SubscriberConfining {}
extension ExtraPublishers.MaterializedSignals: SubscriberConfining {}

// MARK: Mixing, sharing

extension CombineLatestAll: SubscriberConfining {}
extension CombineLatestEachPack: SubscriberConfining {}
extension ExtraPublishers.Amb: SubscriberConfining {}
extension ExtraPublishers.CombineLatestEach: SubscriberConfining {}
extension ExtraPublishers.MergeEach: SubscriberConfining {}
extension ExtraPublishers.ReferenceCounted: SubscriberConfining {}
extension ExtraPublishers.WithLatest: SubscriberConfining {}
extension ExtraPublishers.ZipEach: SubscriberConfining {}
extension ZipAll: SubscriberConfining {}
extension ZipEachPack: SubscriberConfining {}

// MARK: Slicing

extension ExtraPublishers.DropLast: SubscriberConfining {}
extension ExtraPublishers.PrefixThrough: SubscriberConfining {}
extension ExtraPublishers.Suffix: SubscriberConfining {}

// MARK: Sources

extension CurrentValueRelay: SubscriberConfining {}
extension PassthroughRelay: SubscriberConfining {}
extension ExtraPublishers.Create: SubscriberConfining {}
extension ExtraPublishers.Timer: SubscriberConfining {}
extension ReplaySubject: SubscriberConfining {}

// MARK: Timing

extension ExtraPublishers.DelaySubscription: SubscriberConfining {}
extension ExtraPublishers.RateLimit: SubscriberConfining {}
extension ExtraPublishers.Sample: SubscriberConfining {}
extension ExtraPublishers.ThrottleUntil: SubscriberConfining {}
