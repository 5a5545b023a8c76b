import CombineCore
import Scripts

extension Catalogue {

  /// Who provides an operator that the peer lacks.
  enum Provider {
    case library
    case model
  }

  /// What the peer lacks, as the library has it and as the model has it.
  static func modelled(by provider: Provider) -> [Entry] {
    merging(by: provider)
      + combiningLatest(by: provider)
      + zipping(by: provider)
      + flatMapping(by: provider)
      + collectionsByTime(by: provider)
      + throttles(by: provider)
      + slicing(by: provider)
  }

  /// Numbers by whichever publisher.
  typealias Numbers = AnyPublisher<Int, Fault>

  /// The one publisher or the other.
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
