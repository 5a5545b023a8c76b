import Foundation

/// The bar above each page of the site: the way to the guides, to the modules and to the lists, and the search.
struct Frame {

  /// The path below which a server has the site, with a slash at its start; empty for the root.
  let base: String

  /// The folder with the bar's style and script, which the site gets.
  static let files = Bundle.module.resourceURL!.appending(path: "Public")

  private var head: String {
    """
    <link rel="stylesheet" href="\(base)/site.css"><script src="\(base)/site.js" defer></script>
    """
  }

  private var bar: String {
    """
    <a class="site-skip" href="#site-content">Skip to the page</a>\
    <header class="site-bar" data-base="\(base)">\
    <a class="site-home" href="\(base)/documentation/combine/">swift-combine</a>\
    <nav class="site-links" aria-label="Site">\
    <a href="\(base)/documentation/combine/gettingstarted/">Start</a>\
    <a href="\(base)/documentation/combine/#Guides">Guides</a>\
    <a href="\(base)/documentation/">Modules</a>\
    <a href="\(base)/choose/">Operators</a>\
    <a href="\(base)/pictures/">Pictures</a>\
    <a href="\(base)/a-z/">A–Z</a>\
    </nav>\
    <form class="site-search" role="search"><input type="search" autocomplete="off" placeholder="Search"\
     aria-label="Search all modules" aria-controls="site-results"><ol id="site-results" class="site-results" hidden></ol>\
    </form></header><div id="site-content" tabindex="-1"></div>
    """
  }

  /// Adds the bar to all pages of a site.
  func add(toPagesIn folder: URL) throws {
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    for file in files
    where file.lastPathComponent == "index.html" && file.deletingLastPathComponent().path != folder.path {
      var text = try String(contentsOf: file, encoding: .utf8)
      guard let end = text.firstRange(of: "</head>") else { continue }
      text.insert(contentsOf: head, at: end.lowerBound)
      guard let start = text.firstRange(of: /<body[^>]*>/) else { continue }
      text.insert(contentsOf: bar, at: start.upperBound)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  /// Returns a page with the bar, without DocC's program.
  func page(title: String, summary: String, _ content: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
    <link rel="icon" href="\(base)/favicon.ico">
    </head>
    <body>
    <main class="site-page">
    <h1>\(title)</h1>
    <p>\(summary)</p>
    \(content)
    </main>
    </body>
    </html>

    """
  }
}
