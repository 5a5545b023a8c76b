import Foundation

/// A text with a part between markers, which a program can replace.
package struct MarkedFile {

  private let url: URL

  package init(_ url: URL) {
    self.url = url
  }

  /// Replaces the text between the two comments of a name.
  package func replace(_ name: String, with text: String) throws {
    let (begin, end) = ("<!-- \(name) -->", "<!-- end of \(name) -->")
    var content = try String(contentsOf: url, encoding: .utf8)
    guard let first = content.range(of: begin),
      let last = content.range(of: end, range: first.upperBound..<content.endIndex)
    else { throw MarkedFileError(description: "\(url.path) has no \(begin) … \(end)") }
    content.replaceSubrange(first.upperBound..<last.lowerBound, with: "\n\n\(text)\n\n")
    try content.write(to: url, atomically: true, encoding: .utf8)
  }
}

private struct MarkedFileError: Error, CustomStringConvertible {

  let description: String
}
