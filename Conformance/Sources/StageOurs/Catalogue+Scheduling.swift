import Scripts

#if OPENCOMBINE
  import OpenCombine
#else
  import CombineCore
#endif

extension Catalogue {

  static var scheduling: [Entry] {
    []
  }
}
