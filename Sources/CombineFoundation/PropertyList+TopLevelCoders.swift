import CombineCore
import Foundation

extension PropertyListEncoder: TopLevelEncoder {

  /// What the encoder produces: a property list.
  public typealias Output = Data
}

extension PropertyListDecoder: TopLevelDecoder {

  /// What the decoder reads: a property list.
  public typealias Input = Data
}
