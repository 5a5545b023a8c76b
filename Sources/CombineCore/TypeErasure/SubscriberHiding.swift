// The publishers of this package that show their subscriber to no other code. `Deferred` and `AnyPublisher` are not
// among them, because they pass the subscriber on unchanged.

// MARK: Observation

extension ObservableObjectPublisher: SubscriberHiding {}
extension Published.Publisher: SubscriberHiding {}

// MARK: Coding

extension Publishers.Decode: SubscriberHiding {}
extension Publishers.Encode: SubscriberHiding {}

// MARK: Debugging

extension Publishers.Breakpoint: SubscriberHiding {}
extension Publishers.HandleEvents: SubscriberHiding {}
extension Publishers.Print: SubscriberHiding {}

// MARK: ErrorHandling

extension Publishers.AssertNoFailure: SubscriberHiding {}
extension Publishers.Catch: SubscriberHiding {}
extension Publishers.TryCatch: SubscriberHiding {}
extension Publishers.Retry: SubscriberHiding {}

// MARK: Filtering

extension Publishers.CompactMap: SubscriberHiding {}
extension Publishers.TryCompactMap: SubscriberHiding {}
extension Publishers.Filter: SubscriberHiding {}
extension Publishers.TryFilter: SubscriberHiding {}
extension Publishers.IgnoreOutput: SubscriberHiding {}
extension Publishers.RemoveDuplicates: SubscriberHiding {}
extension Publishers.TryRemoveDuplicates: SubscriberHiding {}
extension Publishers.ReplaceEmpty: SubscriberHiding {}
extension Publishers.ReplaceError: SubscriberHiding {}

// MARK: Mapping

extension Publishers.FlatMap: SubscriberHiding {}
extension Publishers.Map: SubscriberHiding {}
extension Publishers.TryMap: SubscriberHiding {}
extension Publishers.MapError: SubscriberHiding {}
extension Publishers.MapKeyPath: SubscriberHiding {}
extension Publishers.MapKeyPath2: SubscriberHiding {}
extension Publishers.MapKeyPath3: SubscriberHiding {}
extension Publishers.Scan: SubscriberHiding {}
extension Publishers.TryScan: SubscriberHiding {}
extension Publishers.SetFailureType: SubscriberHiding {}

// MARK: Mixing

extension Publishers.CombineLatest: SubscriberHiding {}
extension Publishers.CombineLatest3: SubscriberHiding {}
extension Publishers.CombineLatest4: SubscriberHiding {}
extension Publishers.Concatenate: SubscriberHiding {}
extension Publishers.Merge: SubscriberHiding {}
extension Publishers.Merge3: SubscriberHiding {}
extension Publishers.Merge4: SubscriberHiding {}
extension Publishers.Merge5: SubscriberHiding {}
extension Publishers.Merge6: SubscriberHiding {}
extension Publishers.Merge7: SubscriberHiding {}
extension Publishers.Merge8: SubscriberHiding {}
extension Publishers.MergeMany: SubscriberHiding {}
extension Publishers.SwitchToLatest: SubscriberHiding {}
extension Publishers.Zip: SubscriberHiding {}
extension Publishers.Zip3: SubscriberHiding {}
extension Publishers.Zip4: SubscriberHiding {}

// MARK: Reducing

extension Publishers.AllSatisfy: SubscriberHiding {}
extension Publishers.TryAllSatisfy: SubscriberHiding {}
extension Publishers.Collect: SubscriberHiding {}
extension Publishers.CollectByCount: SubscriberHiding {}
extension Publishers.CollectByTime: SubscriberHiding {}
extension Publishers.Comparison: SubscriberHiding {}
extension Publishers.TryComparison: SubscriberHiding {}
extension Publishers.Contains: SubscriberHiding {}
extension Publishers.ContainsWhere: SubscriberHiding {}
extension Publishers.TryContainsWhere: SubscriberHiding {}
extension Publishers.Count: SubscriberHiding {}
extension Publishers.Reduce: SubscriberHiding {}
extension Publishers.TryReduce: SubscriberHiding {}

// MARK: Scheduling

extension Publishers.Buffer: SubscriberHiding {}
extension Publishers.ReceiveOn: SubscriberHiding {}
extension Publishers.SubscribeOn: SubscriberHiding {}

// MARK: Sharing

extension Publishers.Autoconnect: SubscriberHiding {}
extension Publishers.MakeConnectable: SubscriberHiding {}
extension Publishers.Multicast: SubscriberHiding {}
extension Publishers.Share: SubscriberHiding {}

// MARK: Slicing

extension Publishers.Drop: SubscriberHiding {}
extension Publishers.DropUntilOutput: SubscriberHiding {}
extension Publishers.DropWhile: SubscriberHiding {}
extension Publishers.TryDropWhile: SubscriberHiding {}
extension Publishers.First: SubscriberHiding {}
extension Publishers.FirstWhere: SubscriberHiding {}
extension Publishers.TryFirstWhere: SubscriberHiding {}
extension Publishers.Last: SubscriberHiding {}
extension Publishers.LastWhere: SubscriberHiding {}
extension Publishers.TryLastWhere: SubscriberHiding {}
extension Publishers.Output: SubscriberHiding {}
extension Publishers.PrefixUntilOutput: SubscriberHiding {}
extension Publishers.PrefixWhile: SubscriberHiding {}
extension Publishers.TryPrefixWhile: SubscriberHiding {}

// MARK: Timing

extension Publishers.Debounce: SubscriberHiding {}
extension Publishers.Delay: SubscriberHiding {}
extension Publishers.MeasureInterval: SubscriberHiding {}
extension Publishers.Throttle: SubscriberHiding {}
extension Publishers.Timeout: SubscriberHiding {}

// MARK: Publishers

extension Empty: SubscriberHiding {}
extension Fail: SubscriberHiding {}
extension Future: SubscriberHiding {}
extension Just: SubscriberHiding {}
extension Optional.Publisher: SubscriberHiding {}
extension Record: SubscriberHiding {}
extension Result.Publisher: SubscriberHiding {}
extension Publishers.Sequence: SubscriberHiding {}

// MARK: Subjects

extension CurrentValueSubject: SubscriberHiding {}
extension PassthroughSubject: SubscriberHiding {}
