import Foundation

/// Calls `body` with the URL of a file that is removed afterwards.
func withFile(_ body: (URL) throws -> Void) throws {
  let url = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: url) }
  try body(url)
}
