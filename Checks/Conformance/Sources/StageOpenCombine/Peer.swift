import Scripts

extension Contestant {

  /// OpenCombine, as a black box.
  public static let openCombine = Contestant(name: "OpenCombine", entries: Catalogue.entries)
}
