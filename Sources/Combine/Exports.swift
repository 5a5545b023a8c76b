@_exported import CombineNetworking

#if canImport(FoundationNetworking)
  // `URLSession` is part of Foundation where Combine is; the code written there does not import this module.
  @_exported import FoundationNetworking
#endif
