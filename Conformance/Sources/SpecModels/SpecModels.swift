/// Operators written down from the specification, line by line: for one thread, without a thought for speed.
///
/// They stand in for the peer where it has no such operator. They share nothing with the library but its protocols.
public enum SpecModels {}
