/// Operators written from the rows of `Documentation/Specification`, for one thread and without regard to speed.
///
/// They replace the peer's operators where the peer has none. They share only the protocols with the library.
public enum SpecModels {}
