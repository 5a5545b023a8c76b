/// Operators written from the specification, line by line, for one thread and without regard to speed.
///
/// They replace the peer's operators where the peer has none. They share only the protocols with the library.
public enum SpecModels {}
