/// An array literal of elements that are written as in code, an element a line.
func literal(of elements: [String]) -> String {
  elements.isEmpty ? "[]" : "[\n" + elements.map { "  \($0),\n" }.joined() + "]"
}
