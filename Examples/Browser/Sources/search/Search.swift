import CombineCore
import CombineExtras

/// A search as you type, among the names of operators.
@MainActor final class Search {

  @Published var text = ""

  /// What was found for the last text, and how many searches there were.
  @Published private(set) var found: [String] = []
  private(set) var count = 0

  init() {
    $text
      .debounce(for: .milliseconds(300), scheduler: ClockScheduler.main)
      .removeDuplicates()
      .filter { !$0.isEmpty }
      .handleEvents(receiveOutput: { [unowned self] _ in count += 1 })
      .map { text in Self.names.filter { $0.lowercased().hasPrefix(text.lowercased()) } }
      .assign(to: &$found)
  }

  nonisolated private static let names = [
    "allSatisfy", "append", "assertNoFailure", "assign", "autoconnect", "breakpoint", "buffer", "catch", "collect",
    "combineLatest", "compactMap", "contains", "count", "debounce", "decode", "delay", "drop", "dropFirst", "encode",
    "filter",
    "first", "flatMap", "handleEvents", "ignoreOutput", "last", "makeConnectable", "map", "mapError", "max",
    "measureInterval", "merge", "min", "multicast", "output", "prefix", "prepend", "print", "receive", "reduce",
    "removeDuplicates", "replaceEmpty", "replaceError", "replaceNil", "retry", "scan", "setFailureType", "share",
    "sink",
    "subscribe", "switchToLatest", "throttle", "timeout", "tryMap", "zip",
  ]
}
