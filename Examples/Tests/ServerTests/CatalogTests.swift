import Testing

@testable import recipes

/// The list of recipes, on which `--only` and the closing lines rely.
@Suite struct CatalogTests {

  @Test func recipesAreListedInTheOrderOfTheirNumbers() {
    #expect(Catalog.recipes.map(\.number) == Array(1...Catalog.recipes.count))
  }

  @Test func recipesAboutBadInputStateTheirKind() {
    for recipe in Catalog.recipes {
      #expect((recipe.kind == .badInput) == recipe.title.hasPrefix("Bad input"), "\(recipe.title)")
    }
  }
}
