import Testing

/// All tests of this package, one after the other. Some of them fork, which is safe only while nothing else runs.
@Suite(.serialized) enum ConformanceTests {}
