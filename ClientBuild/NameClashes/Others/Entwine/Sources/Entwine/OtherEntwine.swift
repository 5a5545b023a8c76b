/// A stand-in for the library of this name.
public enum OtherEntwine {}
