import Testing

/// Checks the result of a mutating call on a machine, which `#expect` does not accept as it is.
func expectStep(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(isTrue, sourceLocation: sourceLocation)
}
