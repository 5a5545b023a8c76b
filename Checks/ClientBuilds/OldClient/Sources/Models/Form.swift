// As in packages that support Apple's platforms and others.
#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// A form that knows whether it is complete.
public final class Form: ObservableObject {

  @Published public var name: String?
  @Published public var age = ""
  @Published public private(set) var isComplete = false

  public struct NotANumber: Error {}

  public init() {
    $name
      .map { $0.map { !$0.isEmpty } ?? false }
      .zip($age.map { Int($0) != nil })
      .map { $0 && $1 }
      .assign(to: &$isComplete)
  }

  /// The age, or an error.
  public var parsedAge: Result<Int, NotANumber> {
    Int(age).map(Result.success) ?? .failure(NotANumber())
  }
}
