import Testing

/// The stress tests run one at a time, because each uses enough threads of its own.
@Suite(.serialized) enum AllStressTests {}
