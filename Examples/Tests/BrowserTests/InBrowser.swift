import Testing

/// All tests that drive a browser, one after the other, because each keeps a small machine busy.
@Suite(.serialized, .timeLimit(.minutes(2)))
enum InBrowser {}
