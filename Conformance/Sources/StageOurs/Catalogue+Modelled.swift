import CombineCore
import Scripts
import SpecModels

extension Catalogue {

  /// Who provides an operator that the peer lacks.
  enum Provider {
    case library
    case model
  }

  /// What the peer lacks, as the library has it and as the model has it.
  static func modelled(by provider: Provider) -> [Entry] {
    slicing(by: provider)
  }
}
