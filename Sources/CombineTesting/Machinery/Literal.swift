/// Returns an array literal as Swift code, with one element on each line.
func literal(of elements: [String]) -> String {
  elements.isEmpty ? "[]" : "[\n" + elements.map { "  \($0),\n" }.joined() + "]"
}
