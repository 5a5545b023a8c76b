// Code for Apple's platforms and others. Beside a module `Combine` in the same build, the condition may become true.
#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

public final class TitleModel: ObservableObject {

  @Published public var title = ""

  public init() {}

  public var titles: AnyPublisher<String, Never> { $title.dropFirst().eraseToAnyPublisher() }
}
