#if canImport(Foundation)
  import CombineCore
  import Foundation

  extension PropertyListEncoder: TopLevelEncoder {

    /// The type that the encoder produces: a property list.
    public typealias Output = Data
  }

  extension PropertyListDecoder: TopLevelDecoder {

    /// The type that the decoder reads: a property list.
    public typealias Input = Data
  }
#endif
