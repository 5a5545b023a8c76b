#if NIO
  @_exported import CombineExtras
#endif
