// The publishers of this package that show their subscriber to no other code. `AnyPublisher` is not among them, because it
// passes the subscriber on unchanged. Without this list each element that passes an erased publisher takes twenty times as
// long (the benchmark row `two-erasures`).

// MARK: Observation

extension ObservableObjectPublisher: SubscriberConfining {}
extension Published.Publisher: SubscriberConfining {}

// MARK: Coding

extension Publishers.Decode: SubscriberConfining {}
extension Publishers.Encode: SubscriberConfining {}

// MARK: Debugging

extension Publishers.Breakpoint: SubscriberConfining {}
extension Publishers.HandleEvents: SubscriberConfining {}
extension Publishers.Print: SubscriberConfining {}

// MARK: ErrorHandling

extension Publishers.AssertNoFailure: SubscriberConfining {}
extension Publishers.Catch: SubscriberConfining {}
extension Publishers.TryCatch: SubscriberConfining {}
extension Publishers.Retry: SubscriberConfining {}

// MARK: Filtering

extension Publishers.CompactMap: SubscriberConfining {}
extension Publishers.TryCompactMap: SubscriberConfining {}
extension Publishers.Filter: SubscriberConfining {}
extension Publishers.TryFilter: SubscriberConfining {}
extension Publishers.IgnoreOutput: SubscriberConfining {}
extension Publishers.RemoveDuplicates: SubscriberConfining {}
extension Publishers.TryRemoveDuplicates: SubscriberConfining {}
extension Publishers.ReplaceEmpty: SubscriberConfining {}
extension Publishers.ReplaceError: SubscriberConfining {}

// MARK: Mapping

extension Publishers.FlatMap: SubscriberConfining {}
extension Publishers.Map: SubscriberConfining {}
extension Publishers.TryMap: SubscriberConfining {}
extension Publishers.MapError: SubscriberConfining {}
extension Publishers.MapKeyPath: SubscriberConfining {}
extension Publishers.MapKeyPath2: SubscriberConfining {}
extension Publishers.MapKeyPath3: SubscriberConfining {}
extension Publishers.Scan: SubscriberConfining {}
extension Publishers.TryScan: SubscriberConfining {}
extension Publishers.SetFailureType: SubscriberConfining {}

// MARK: Mixing

extension Publishers.CombineLatest: SubscriberConfining {}
extension Publishers.CombineLatest3: SubscriberConfining {}
extension Publishers.CombineLatest4: SubscriberConfining {}
extension Publishers.Concatenate: SubscriberConfining {}
extension Publishers.Merge: SubscriberConfining {}
extension Publishers.Merge3: SubscriberConfining {}
extension Publishers.Merge4: SubscriberConfining {}
extension Publishers.Merge5: SubscriberConfining {}
extension Publishers.Merge6: SubscriberConfining {}
extension Publishers.Merge7: SubscriberConfining {}
extension Publishers.Merge8: SubscriberConfining {}
extension Publishers.MergeMany: SubscriberConfining {}
extension Publishers.SwitchToLatest: SubscriberConfining {}
extension Publishers.Zip: SubscriberConfining {}
extension Publishers.Zip3: SubscriberConfining {}
extension Publishers.Zip4: SubscriberConfining {}

// MARK: Reducing

extension Publishers.AllSatisfy: SubscriberConfining {}
extension Publishers.TryAllSatisfy: SubscriberConfining {}
extension Publishers.Collect: SubscriberConfining {}
extension Publishers.CollectByCount: SubscriberConfining {}
extension Publishers.CollectByTime: SubscriberConfining {}
extension Publishers.Comparison: SubscriberConfining {}
extension Publishers.TryComparison: SubscriberConfining {}
extension Publishers.Contains: SubscriberConfining {}
extension Publishers.ContainsWhere: SubscriberConfining {}
extension Publishers.TryContainsWhere: SubscriberConfining {}
extension Publishers.Count: SubscriberConfining {}
extension Publishers.Reduce: SubscriberConfining {}
extension Publishers.TryReduce: SubscriberConfining {}

// MARK: Scheduling

extension Publishers.Buffer: SubscriberConfining {}
extension Publishers.ReceiveOn: SubscriberConfining {}
extension Publishers.SubscribeOn: SubscriberConfining {}

// MARK: Sharing

extension Publishers.Autoconnect: SubscriberConfining {}
extension Publishers.MakeConnectable: SubscriberConfining {}
extension Publishers.Multicast: SubscriberConfining {}
extension Publishers.Share: SubscriberConfining {}

// MARK: Slicing

extension Publishers.Drop: SubscriberConfining {}
extension Publishers.DropUntilOutput: SubscriberConfining {}
extension Publishers.DropWhile: SubscriberConfining {}
extension Publishers.TryDropWhile: SubscriberConfining {}
extension Publishers.First: SubscriberConfining {}
extension Publishers.FirstWhere: SubscriberConfining {}
extension Publishers.TryFirstWhere: SubscriberConfining {}
extension Publishers.Last: SubscriberConfining {}
extension Publishers.LastWhere: SubscriberConfining {}
extension Publishers.TryLastWhere: SubscriberConfining {}
extension Publishers.Output: SubscriberConfining {}
extension Publishers.PrefixUntilOutput: SubscriberConfining {}
extension Publishers.PrefixWhile: SubscriberConfining {}
extension Publishers.TryPrefixWhile: SubscriberConfining {}

// MARK: Timing

extension Publishers.Debounce: SubscriberConfining {}
extension Publishers.Delay: SubscriberConfining {}
extension Publishers.MeasureInterval: SubscriberConfining {}
extension Publishers.Throttle: SubscriberConfining {}
extension Publishers.Timeout: SubscriberConfining {}

// MARK: Publishers

extension Deferred: SubscriberConfining where DeferredPublisher: SubscriberConfining {}
extension Empty: SubscriberConfining {}
extension Fail: SubscriberConfining {}
extension Future: SubscriberConfining {}
extension Just: SubscriberConfining {}
extension Optional.Publisher: SubscriberConfining {}
extension Record: SubscriberConfining {}
extension Result.Publisher: SubscriberConfining {}
extension Publishers.Sequence: SubscriberConfining {}

// MARK: Subjects

extension CurrentValueSubject: SubscriberConfining {}
extension PassthroughSubject: SubscriberConfining {}
