/// A stand-in for the library with this name.
public enum OtherEntwine {}
