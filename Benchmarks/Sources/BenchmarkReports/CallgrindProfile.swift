/// What a file says that callgrind writes.
package struct CallgrindProfile: Equatable, Sendable {

  /// The name that the program gave when it asked for the file.
  package let name: String

  /// How many instructions were executed.
  package let instructions: Int

  /// - Returns: `nil` if the text is not that of a file that the program asked for.
  package init?(_ text: String) {
    var name: String?
    var instructions: Int?
    for line in text.split(separator: "\n") {
      if let range = line.firstRange(of: "desc: Trigger: Client Request: ") {
        name = String(line[range.upperBound...])
      } else if let range = line.firstRange(of: "summary: ") {
        instructions = Int(line[range.upperBound...])
      }
    }
    guard let name, let instructions else { return nil }
    self.name = name
    self.instructions = instructions
  }
}
