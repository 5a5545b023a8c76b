/// The contents of a file that callgrind writes.
package struct CallgrindProfile: Equatable, Sendable {

  /// The name that the program gave when it requested the file.
  package let name: String

  /// The number of executed instructions.
  package let instructions: Int

  /// The number of those instructions that locked the bus.
  package let atomics: Int

  /// - Returns: `nil` if the text is not from a file that the program requested.
  package init?(_ text: String) {
    var name: String?
    var counts: [Substring: Int] = [:]
    var events: [Substring] = []
    for line in text.split(separator: "\n") {
      if let range = line.firstRange(of: "desc: Trigger: Client Request: ") {
        name = String(line[range.upperBound...])
      } else if let range = line.firstRange(of: "events: ") {
        events = line[range.upperBound...].split(separator: " ")
      } else if let range = line.firstRange(of: "summary: ") {
        let numbers = line[range.upperBound...].split(separator: " ").compactMap { Int($0) }
        counts = Dictionary(zip(events, numbers)) { first, _ in first }
      }
    }
    // Callgrind omits zeros at the end of a line.
    guard let name, let instructions = counts["Ir"], events.contains("Ge") else { return nil }
    self.name = name
    self.instructions = instructions
    atomics = counts["Ge"] ?? 0
  }
}
