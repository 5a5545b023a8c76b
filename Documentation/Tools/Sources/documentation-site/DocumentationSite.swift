import ArgumentParser
import Foundation
import Listings
import Site

@main
struct DocumentationSite: AsyncParsableCommand {

  static let configuration = CommandConfiguration(
    commandName: "documentation-site",
    abstract: "Builds the documentation of all modules as static files, and serves them."
  )

  @Option(help: "The folder with the library's sources.")
  var sources = "Sources"

  @Option(help: "The folder of the debug build of the package Documentation.")
  var build = "Documentation/.build/debug"

  @Option(help: "The folder of the site.")
  var output = "Documentation/.build/site"

  @Option(help: "The path below which a server will have the site, without slashes at its ends. By default the root.")
  var basePath = ""

  @Option(help: "The folder with the page of the playground and its program, if the marbles are to move.")
  var playground: String?

  @Flag(inversion: .prefixedNo, help: "Serves the site on 127.0.0.1 after building it.")
  var serve = false

  @Flag(help: "Does not build the site, which an earlier run has built.")
  var asBuilt = false

  @Option(help: "The port of the server.")
  var port: UInt16 = 8000

  func run() async throws {
    let site = URL(filePath: output)
    if !asBuilt { try build(site) }
    guard serve else { return }
    report("http://127.0.0.1:\(port)/ serves the site until you press Control-C")
    try await SiteServer(folder: site, port: port).run()
  }

  private func build(_ site: URL) throws {
    let builder = SiteBuilder(
      sources: URL(filePath: sources),
      build: URL(filePath: build).resolvingSymlinksInPath(),
      scratch: site.deletingLastPathComponent().appending(path: "site-scratch"),
      playground: playground.map { URL(filePath: $0) }
    )
    try builder.build(to: site, basePath: basePath) { report($0) }
    let archive = Archive(root: site)
    let pages = try archive.pages()
    let dead = archive.deadLinks(in: pages)
    for link in dead { report("dead link: \(link)") }
    guard dead.isEmpty else { throw ExitCode.failure }
    report("\(pages.count) pages in \(site.path)")
  }

  /// Prints a line at once. `print` would keep the lines back if the output is a file, and the server never ends.
  private func report(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
