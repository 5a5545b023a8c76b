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
    CascadingSearch(),
    FormValidation(),
    DelegateSource(),
    Notifications(),
    ModelObject(),
    TestingAPublisher(),
    TestingASubscriber(),
    TestingWithDelays(),
    TestingInVirtualTime(),
    PrintAroundRetry(),
    HandleEvents(),
    BreakpointOnCondition(),
    PropertyAsPublisher(),
    TimerClock(),
    Sharing(),
    RecordAndReplay(),
    AsyncAwait(),
    RetryWithBackoff(),
    LatestSearchWins(),
    ReplayedSession(),
    GroupedEvents(),
    RateLimitedRequests(),
    IsolatedModel(),

    // Bad input
    BadURL(),
    RefusedConnection(),
    UndecodableBody(),
    HangingServer(),
    CancelledInFlight(),
    ManyRequests(),

    // Swift's language modes
    DefaultIsolation(),

    // The events of a running scene
    SceneSubscriptions(),
  ]
}
