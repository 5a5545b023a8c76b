import Scripts

extension Contestant {

  /// The library under test.
  public static let ours = Contestant(
    name: "swift-combine",
    entries: Catalogue.entries + Catalogue.modelled(by: .library)
  )

  /// The specification as executable models.
  public static let model = Contestant(name: "the model", entries: Catalogue.modelled(by: .model))
}
