@_exported import CombineNetworking
#if canImport(Dispatch)
  // Code for Apple's Combine uses `DispatchQueue` without importing Dispatch, because Foundation re-exports it there.
  @_exported import Dispatch
#endif

#if canImport(FoundationNetworking)
  // On Apple's platforms `URLSession` is part of Foundation, so code for Combine does not import this module.
  @_exported import FoundationNetworking
#endif
