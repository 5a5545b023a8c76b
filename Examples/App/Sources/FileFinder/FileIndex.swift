import Combine
import Foundation

/// The files of a folder, by their names.
public struct FileIndex: Sendable {

  let folder: URL

  public init(folder: URL) {
    self.folder = folder
  }

  public struct NoSuchFolder: Error {
    public init() {}
  }

  /// Returns a publisher of the paths whose last part contains a text. It reads the folder on another thread, anew for each
  /// subscriber.
  public func files(containing text: String) -> AnyPublisher<[String], any Error> {
    Deferred {
      Future { promise in
        DispatchQueue.global().async { promise(Result { try paths(containing: text) }) }
      }
    }
    .eraseToAnyPublisher()
  }

  private func paths(containing text: String) throws -> [String] {
    guard let all = FileManager.default.subpaths(atPath: folder.path) else { throw NoSuchFolder() }
    return all.filter { ($0 as NSString).lastPathComponent.localizedCaseInsensitiveContains(text) }.sorted()
  }
}
