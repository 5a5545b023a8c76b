import Foundation

/// What the site changes in the data of its pages after DocC has made them.
struct OperatorPages {

  /// The pages of the playground's operators: for each path of a page, the operator's name in links.
  let playground: [String: String]

  /// - Parameters:
  ///   - table: The folder with the table of the playground's operators.
  ///   - guide: The guide that gives operators their names.
  init(table: URL, guide: Guide) throws {
    let files = try FileManager.default.contentsOfDirectory(at: table, includingPropertiesForKeys: nil)
    var playground: [String: String] = [:]
    for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "swift" {
      let source = try String(contentsOf: file, encoding: .utf8)
      for match in source.matches(of: /Operator\(\s*"([^"]+)",(?:\s*id: "([^"]+)",)?/) {
        // An operator that the playground has twice has parameters in its name there.
        let name = String(match.1)
        let names = [name, name.replacing("[…]", with: "…"), String(name.prefix { $0 != "(" })]
        guard let path = names.compactMap({ guide.paths[$0] }).first, playground[path] == nil else { continue }
        playground[path] =
          match.2.map(String.init) ?? match.1.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
      }
    }
    self.playground = playground
  }

  /// Puts the first picture of each operator's page directly below the summary, and a link to the playground on the page.
  ///
  /// DocC has the comment's text after the declaration and its parameters.
  ///
  /// - Returns: The number of pages that are changed.
  func arrange(dataIn folder: URL) throws -> Int {
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    var count = 0
    for file in files where file.pathExtension == "json" {
      guard var page = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
        var sections = page["primaryContentSections"] as? [[String: Any]],
        sections.contains(where: { $0["kind"] as? String == "declarations" })
      else { continue }
      let path = String(file.deletingPathExtension().path.dropFirst(folder.path.count))
      let picture = Self.takePicture(from: &sections)
      if let picture, let abstract = page["abstract"] as? [[String: Any]] { page["abstract"] = abstract + picture }
      if let id = playground[path] {
        sections.insert(["kind": "content", "content": [Self.link(to: id, references: &page)]], at: 0)
      }
      guard picture != nil || playground[path] != nil else { continue }
      page["primaryContentSections"] = sections
      try JSONSerialization.data(withJSONObject: page, options: [.sortedKeys]).write(to: file)
      count += 1
    }
    return count
  }

  /// Removes the first paragraph that is a marble diagram, and returns its contents.
  private static func takePicture(from sections: inout [[String: Any]]) -> [[String: Any]]? {
    for (index, section) in sections.enumerated() where section["kind"] as? String == "content" {
      var content = section["content"] as? [[String: Any]] ?? []
      let place = content.firstIndex { block in
        let inline = block["inlineContent"] as? [[String: Any]] ?? []
        return inline.count == 1 && (inline[0]["identifier"] as? String)?.hasPrefix("marbles-") == true
      }
      guard let place else { continue }
      let picture = content.remove(at: place)
      sections[index]["content"] = content
      return picture["inlineContent"] as? [[String: Any]]
    }
    return nil
  }

  /// Where the playground is when it runs. `recipes --serve` takes this port if it is free.
  static let playgroundAddress = "http://127.0.0.1:8001/operators?op="

  private static func link(to id: String, references page: inout [String: Any]) -> [String: Any] {
    let url = playgroundAddress + id
    let text: [[String: Any]] = [["type": "text", "text": "Move these marbles"]]
    var references = page["references"] as? [String: Any] ?? [:]
    references[url] = [
      "type": "link", "identifier": url, "url": url, "title": "Move these marbles", "titleInlineContent": text,
    ]
    page["references"] = references
    return [
      "type": "paragraph",
      "inlineContent": [
        ["type": "reference", "identifier": url, "isActive": true],
        ["type": "text", "text": " in the playground, while "],
        ["type": "codeVoice", "code": "swift run --package-path Examples recipes --serve"],
        ["type": "text", "text": " runs."],
      ],
    ]
  }
}
