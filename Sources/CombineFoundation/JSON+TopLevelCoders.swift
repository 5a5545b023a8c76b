import CombineCore
import Foundation

extension JSONEncoder: TopLevelEncoder {

  /// What the encoder produces: a JSON document.
  public typealias Output = Data
}

extension JSONDecoder: TopLevelDecoder {

  /// What the decoder reads: a JSON document.
  public typealias Input = Data
}
