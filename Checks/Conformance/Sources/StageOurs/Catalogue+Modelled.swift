import CombineCore
import Scripts

extension Catalogue {

  /// The provider of an operator that the peer lacks.
  enum Provider {
    case library
    case model
  }

  /// Returns the entries for operators that the peer lacks, from the library or from the model.
  static func modelled(by provider: Provider) -> [Entry] {
    merging(by: provider)
      + combiningLatest(by: provider)
      + zipping(by: provider)
      + flatMapping(by: provider)
      + collectionsByTime(by: provider)
      + debounces(by: provider)
      + throttles(by: provider)
      + slicing(by: provider)
      + extras(by: provider)
  }

  /// A publisher of numbers, erased.
  typealias Numbers = AnyPublisher<Int, Fault>

  /// Returns one of two publishers, erased.
  static func choose<Library: Publisher, Model: Publisher>(
    _ provider: Provider,
    _ library: @autoclosure () -> Library,
    _ model: @autoclosure () -> Model
  ) -> AnyPublisher<Library.Output, Library.Failure>
  where Library.Output == Model.Output, Library.Failure == Model.Failure {
    switch provider {
    case .library: library().eraseToAnyPublisher()
    case .model: model().eraseToAnyPublisher()
    }
  }
}
