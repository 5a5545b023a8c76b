import TestSupport
import Testing

/// The stress tests run one at a time, because each uses enough threads of its own. `swift test` leaves
/// them out, because they repeat races.
@Suite(.serialized, .inLongRuns) enum AllStressTests {}
