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
    TimerClock(),
    Sharing(),

    // Bad input
    BadURL(),
    RefusedConnection(),
    UndecodableBody(),
    HangingServer(),
    CancelledInFlight(),
    ManyRequests(),
  ]
}
