/// All recipes, by number.
enum Catalog {
  static let recipes: [any Recipe] = [
    SubscribeWithSink(),
    AssignToProperty(),
    JSONRequest(),
    StrictRequest(),
    ClientErrors(),
    FutureFromCallback(),
    SequencedWork(),
    AssertNoFailure(),
    CatchWithPlaceholder(),
    RetryAfterPause(),
    CatchInFlatMap(),
    FallbackAddress(),
    SearchAsYouType(),
    Notifications(),
    TestingAPublisher(),
    TestingASubscriber(),
    TestingWithDelays(),
    TestingInVirtualTime(),
    PrintAroundRetry(),
    HandleEvents(),
    BreakpointOnCondition(),
    PropertyAsPublisher(),
    RecordAndReplay(),
    AsyncAwait(),

    // Bad input
    BadURL(),
    RefusedConnection(),
    UndecodableBody(),
    HangingServer(),
    CancelledInFlight(),
    ManyRequests(),
  ]
}
