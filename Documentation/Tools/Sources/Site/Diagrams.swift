import Foundation
import Listings

/// The marble diagrams of the documentation, with pictures of their runs.
struct Diagrams {

  /// A picture, and the name of its file without theme and extension.
  struct Picture {
    let name: String
    let picture: MarblePicture
  }

  /// The pictures of each listing, by its code.
  private var pictures: [[String]: [Picture]] = [:]

  /// The pictures of a listing; none if it is not a diagram.
  func pictures(of code: [String]) -> [Picture] { pictures[code] ?? [] }

  /// All pictures by their names.
  var byName: [String: MarblePicture] {
    Dictionary(pictures.values.joined().map { ($0.name, $0.picture) }) { first, _ in first }
  }

  /// Runs diagrams and draws the runs. A diagram that occurs several times runs once.
  ///
  /// - Parameter named: The listings with a name for each, such as that of the operator that they show.
  init(running named: [(name: String, listing: Listing)], with compiler: ListingCompiler) throws {
    var seen: Set<[String]> = []
    let diagrams = named.filter { $0.listing.isDiagram && seen.insert($0.listing.code).inserted }
    let imports = """
      @_spi(Diagrams) import CombineTesting
      func draw(_ diagram: () throws -> Void) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let scenes = try MarbleScene.recording(diagram)
        print("scenes " + String(decoding: try encoder.encode(scenes), as: UTF8.self))
      }

      """
    let result = try compiler.output(of: diagrams.map(\.listing), importing: imports) { call in
      "try draw { try \(call) }"
    }
    guard result.status == 0 else { throw ToolError(result.errorOutput) }
    var numbers: [String: Int] = [:]
    for (diagram, output) in zip(diagrams, result.outputs) {
      // The diagram's own output may come first.
      let json = output.last?.replacing("scenes ", with: "", maxReplacements: 1) ?? ""
      let scenes = try JSONDecoder().decode([Scene].self, from: Data(json.utf8))
      let codes = OperatorCode.all(in: diagram.listing.code)
      guard scenes.count == codes.count, scenes.allSatisfy(\.isExpected) else {
        throw ToolError("\(diagram.listing.file):\(diagram.listing.line): the diagram is wrong\n\(result.errorOutput)")
      }
      pictures[diagram.listing.code] = zip(scenes, codes).map { scene, code in
        let number = numbers[diagram.name, default: 0] + 1
        numbers[diagram.name] = number
        return Picture(name: "marbles-\(diagram.name)-\(number)", picture: MarblePicture(scene: scene, code: code))
      }
    }
  }

  /// Returns a text with the pictures of its diagrams, each above the code.
  ///
  /// - Parameters:
  ///   - lines: The lines of a comment or article, in Markdown.
  ///   - used: Receives the pictures.
  func illustrate(_ lines: [String], used: inout [Picture]) -> [(line: String, source: Int?)] {
    let listings = Listing.all(in: lines.map { $0[...] }, of: "")
    let starts = Dictionary(uniqueKeysWithValues: listings.map { ($0.line - 2, $0.code) })
    var result: [(line: String, source: Int?)] = []
    for (index, line) in lines.enumerated() {
      for picture in starts[index].map(pictures(of:)) ?? [] {
        used.append(picture)
        let text = picture.picture.description.replacing("[", with: "(").replacing("]", with: ")")
        result += [("![Marble diagram. \(text)](\(picture.name))", nil), ("", nil)]
      }
      result.append((line, index))
    }
    return result
  }
}

extension Diagrams.Picture {

  /// Writes the picture in both themes, under the names by which DocC finds them.
  func write(to folder: URL) throws {
    try picture.svg(.light).write(to: folder.appending(path: "\(name).svg"), atomically: true, encoding: .utf8)
    try picture.svg(.dark).write(to: folder.appending(path: "\(name)~dark.svg"), atomically: true, encoding: .utf8)
  }
}
