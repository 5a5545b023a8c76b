#if canImport(Foundation)
  import CombineCore
  import Foundation

  extension JSONEncoder: TopLevelEncoder {

    /// The type that the encoder produces: a JSON document.
    public typealias Output = Data
  }

  extension JSONDecoder: TopLevelDecoder {

    /// The type that the decoder reads: a JSON document.
    public typealias Input = Data
  }
#endif
