/// All recipes, by number.
enum Catalog {
  static let recipes: [any Recipe] = [
    SubscribeWithSink(),
  ]
}
