import Foundation
import Listings

/// What the site changes in the data of its pages after DocC has made them.
struct OperatorPages {

  /// The pages of the playground's operators: for each path of a page, the operator's name in links.
  let playground: [String: String]

  /// The address of the playground up to the operator's name.
  let address: String

  /// Whether the playground is a part of the site, so that it needs no server.
  let isPart: Bool

  /// The pictures by their names.
  let pictures: [String: MarblePicture]

  /// For the start of a page's path: what people look for there, each with what it is for.
  private let neighbors: [String: [(link: Guide.Link, what: String)]]

  /// The path below which a server has the site.
  private let base: String

  /// - Parameters:
  ///   - base: The path below which a server has the site, if the playground is a part of the site. Without it, the link leads
  ///     to the server of the recipes, which takes this port if it is free.
  ///   - pictures: The pictures by their names.
  ///   - table: The folder with the table of the playground's operators.
  ///   - guide: The guide that gives operators their names.
  ///   - siteBase: The path below which a server has the site.
  init(table: URL, guide: Guide, base: String? = nil, siteBase: String = "", pictures: [String: MarblePicture] = [:])
    throws
  {
    address = base.map { "\($0)/play/?op=" } ?? "http://127.0.0.1:8001/operators?op="
    isPart = base != nil
    self.base = siteBase
    neighbors = try Self.neighbors.mapValues { rows in
      try rows.map { name, what in
        guard let path = guide.paths[name] else { throw ToolError("the guide has no link to \(name)") }
        return (Guide.Link(text: name, path: path), what)
      }
    }
    self.pictures = pictures
    let files = try FileManager.default.contentsOfDirectory(at: table, includingPropertiesForKeys: nil)
    var playground: [String: String] = [:]
    for file in files.sorted(by: { $0.path < $1.path })
    where file.pathExtension == "swift" && !file.path.hasSuffix("+Pictures.swift") {
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

  /// What people look for on the pages of these operators, by the names of the guide *Choosing an operator*.
  private static let neighbors: [String: [(name: String, what: String)]] = [
    "/documentation/combinecore/publisher/flatmap(": [
      ("concatMap", "one inner publisher after the other"), ("flatMapLatest", "the latest inner publisher only"),
      ("exhaustMap", "no new one while one is running"), ("asyncMap", "an asynchronous function"),
    ],
    "/documentation/combinecore/publisher/switchtolatest(": [
      ("flatMapLatest", "with a closure, in one call"), ("asyncMapLatest", "an asynchronous function"),
      ("concatMap", "one inner publisher after the other"), ("exhaustMap", "no new one while one is running"),
    ],
    "/documentation/combinecore/publisher/retry(": [
      ("retry(policy)", "back-off, with pauses that grow"), ("retryWhen", "when another publisher says so"),
      ("catch", "another publisher instead"),
    ],
    "/documentation/combinecore/publisher/share(": [
      ("share(replay:scope:)", "replay for late subscribers"), ("ReplaySubject", "a subject that replays"),
      ("multicast", "a start when you say so"),
    ],
  ]

  /// A line with links to the neighbors of a page, or `nil`.
  private func neighbors(of path: String, references page: inout [String: Any]) -> [String: Any]? {
    guard let rows = neighbors.first(where: { path.hasPrefix($0.key) })?.value else { return nil }
    var references = page["references"] as? [String: Any] ?? [:]
    var content: [[String: Any]] = [["type": "text", "text": "Related: "]]
    for (index, row) in rows.enumerated() {
      let url = "\(base)\(row.link.path)/"
      let text: [[String: Any]] = [["type": "codeVoice", "code": row.link.text]]
      references[url] = [
        "type": "link", "identifier": url, "url": url, "title": row.link.text, "titleInlineContent": text,
      ]
      content += [
        ["type": "reference", "identifier": url, "isActive": true],
        ["type": "text", "text": " (\(row.what))\(index == rows.count - 1 ? "." : ", ")"],
      ]
    }
    page["references"] = references
    return ["type": "paragraph", "inlineContent": content]
  }

  /// Gives listings a button to copy them, shortens declarations in lists, and puts the first picture of each operator's page
  /// directly below the summary, and a link to the playground on the page.
  ///
  /// DocC has the comment's text after the declaration and its parameters.
  ///
  /// - Returns: The number of pages that are changed.
  func arrange(dataIn folder: URL) throws -> Int {
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    var count = 0
    for file in files where file.pathExtension == "json" {
      guard let data = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] else {
        continue
      }
      let copied = CopyButtons.adding(to: data) as? [String: Any]
      var page = copied ?? data
      if ListedDeclarations.shorten(in: &page) || copied != nil { try write(page, to: file) }
      guard var sections = page["primaryContentSections"] as? [[String: Any]],
        sections.contains(where: { $0["kind"] as? String == "declarations" })
      else { continue }
      let path = String(file.deletingPathExtension().path.dropFirst(folder.path.count))
      let picture = Self.takePicture(from: &sections)
      let shown = (picture?.first?["identifier"] as? String).flatMap { name in
        pictures[String(name.prefix { $0 != "." })]
      }
      if let picture, let abstract = page["abstract"] as? [[String: Any]] { page["abstract"] = abstract + picture }
      var lines: [[String: Any]] = []
      if let id = playground[path] { lines.append(link(to: id, showing: shown, references: &page)) }
      if let line = neighbors(of: path, references: &page) { lines.append(line) }
      if !lines.isEmpty { sections.insert(["kind": "content", "content": lines], at: 0) }
      guard picture != nil || !lines.isEmpty else { continue }
      page["primaryContentSections"] = sections
      try write(page, to: file)
      count += 1
    }
    return count
  }

  private func write(_ page: [String: Any], to file: URL) throws {
    try JSONSerialization.data(withJSONObject: page, options: [.sortedKeys]).write(to: file)
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

  private func link(to id: String, showing shown: MarblePicture?, references page: inout [String: Any]) -> [String: Any]
  {
    let isCase = isPart && shown?.code.hasValues == false
    let url = address + id + (isCase ? shown.map(Self.query) ?? "" : "")
    let title = isCase ? "Move these marbles" : "Play with this operator"
    let text: [[String: Any]] = [["type": "text", "text": title]]
    var references = page["references"] as? [String: Any] ?? [:]
    references[url] = [
      "type": "link", "identifier": url, "url": url, "title": title, "titleInlineContent": text,
    ]
    page["references"] = references
    let link: [String: Any] = ["type": "reference", "identifier": url, "isActive": true]
    let server: [[String: Any]] = [
      ["type": "text", "text": " in the playground, while "],
      ["type": "codeVoice", "code": "swift run --package-path Examples recipes --serve"],
      ["type": "text", "text": " runs."],
    ]
    let rest = isPart ? [["type": "text", "text": ": the library runs in this page."]] : server
    return ["type": "paragraph", "inlineContent": [link] + rest]
  }

  /// The case of a picture, in the notation of the playground's links: the inputs, and the code that has the parameters.
  static func query(of picture: MarblePicture) -> String {
    let inputs = picture.scene.inputs.enumerated().map { index, line in
      (OperatorCode.letter(of: index).lowercased(), Self.line(line))
    }
    let items = inputs + [("code", picture.code.lines.joined(separator: "\n"))]
    let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-~*()"))
    return items.map { name, value in
      "&\(name)=\(value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")"
    }.joined()
  }

  private static func line(_ line: Scene.Line) -> String {
    var text = ""
    var time = 0
    for group in Dictionary(grouping: line.events, by: \.time).sorted(by: { $0.key < $1.key }) where group.key >= 0 {
      text += String(repeating: "-", count: max(0, group.key - time))
      let marks = group.value.map { ["|": "~", "#": "*"][$0.mark] ?? $0.mark }.joined()
      text += marks.count == 1 ? marks : "(\(marks))"
      time = group.key + 1
    }
    return text.isEmpty ? "-" : text
  }
}
