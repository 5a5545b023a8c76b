import Testing

@testable import recipes

@Suite struct GuidesTests {

  @Test func readsWordsAndLinks() {
    let guide = """
      | word | of | here |
      |---|---|---|
      | `take`, `limit` | Rx | [`prefix(_:)`] |
      | `backpressure` |  | <doc:Demand>, [`buffer`] ᴱ |

      [`prefix(_:)`]: <doc:/CombineCore/Publisher/prefix(_:)>
      """
    #expect(Guides.words(in: guide) == ["prefix(_:)": ["take", "limit"], "buffer": ["backpressure"]])
    #expect(
      Guides.pages(in: guide) == ["prefix(_:)": "http://127.0.0.1:8000/documentation/combinecore/publisher/prefix(_:)/"]
    )
  }

  /// What people type into the search of the page *Operators*, and what they look for.
  @Test(arguments: [
    ("take", "prefix(_:)"), ("withLatestFrom", "withLatest(of:)"), ("backpressure", "buffer"),
    ("flatMapLatest", "flatMapLatest"), ("switchMap", "flatMapLatest"), ("debounceTime", "debounce"),
    ("distinctUntilChanged", "removeDuplicates()"), ("startWith", "prepend"), ("skip", "dropFirst"),
    ("mergeMap", "flatMap"), ("tap", "handleEvents"), ("retryWhen", "retryWhen"), ("toArray", "collect()"),
    ("takeUntil", "prefix(untilOutputFrom:)"), ("catchError", "replaceError"), ("race", "amb"),
  ]) func knowsWhatPeopleType(_ word: String, _ name: String) {
    #expect(Guides.words[name]?.contains(word) == true || name == word)
  }

  @Test func everyOperatorHasAPageInTheDocumentation() {
    let missing = Operator.all.values.map(\.name).filter { Guides.page(of: $0) == nil }
    #expect(missing.sorted() == [])
  }
}
