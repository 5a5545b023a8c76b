import Combine
import FileFinder
import Foundation

/// Reads lines from the terminal, and prints the files whose names contain the last one.
@main
@MainActor
enum FindFiles {

  static func main() {
    let index = FileIndex(folder: URL(filePath: CommandLine.arguments.dropFirst().first ?? "."))
    let finder = FileFinder(scheduler: DispatchQueue.main) { index.files(containing: $0) }
    let subscription = finder.$state.dropFirst().sink { show($0) }
    print("Type a part of a name and press Return. Control-D ends the program.")
    Thread.detachNewThread {
      while let line = readLine() {
        DispatchQueue.main.async { finder.text = line }
      }
      // The last search may be going on.
      DispatchQueue.main.asyncAfter(deadline: .now() + 1) { exit(EXIT_SUCCESS) }
    }
    withExtendedLifetime(subscription) { RunLoop.main.run() }
  }

  private static func show(_ state: FileFinder.State) {
    switch state {
    case .idle: break
    case .searching: print("…")
    case .found(let paths): print(paths.isEmpty ? "nothing" : paths.prefix(20).joined(separator: "\n"))
    case .failed(let reason): print("failed: \(reason)")
    }
  }
}
