@_exported import CombineNetworking
#if canImport(Dispatch)
  // Code written where Combine is names `DispatchQueue` without importing Dispatch: Foundation and others bring it there.
  @_exported import Dispatch
#endif

#if canImport(FoundationNetworking)
  // `URLSession` is part of Foundation where Combine is; the code written there does not import this module.
  @_exported import FoundationNetworking
#endif
