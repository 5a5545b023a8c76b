import Testing

/// One stress at a time: each brings threads enough of its own.
@Suite(.serialized) enum AllStressTests {}
