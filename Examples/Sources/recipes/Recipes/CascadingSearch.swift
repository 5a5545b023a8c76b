import Combine
import Foundation

/// 14: the result of a search feeds further pipelines: a label that counts, and a request for an image.
///
/// The pipelines are in `Models/PeopleSearch.swift`.
struct CascadingSearch: Recipe {
  let number = 14
  let title = "Cascade"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let search = PeopleSearch(directory: Directory(url: server.url))
    var view: Set<AnyCancellable> = []
    search.$people.dropFirst().removeDuplicates()
      .sink { timeline.log("people: \($0.map(\.name).joined(separator: ", "))") }.store(in: &view)
    search.$count.dropFirst().removeDuplicates()
      .sink { timeline.log("label: \($0)") }.store(in: &view)
    search.$portrait.dropFirst().removeDuplicates()
      .sink { timeline.log($0.map { "portrait: \(isPicture($0))" } ?? "no portrait") }.store(in: &view)
    search.$isBusy.dropFirst().removeDuplicates()
      .sink { timeline.log($0 ? "busy …" : "idle") }.store(in: &view)

    // For a name, the label and the portrait follow. The indicator is on while requests are in progress.
    func waitForPortrait() throws {
      try timeline.wait(for: "portrait: true")
      try timeline.wait(for: "the end of the requests", until: !search.isBusy)
    }
    search.text = "grace"
    try waitForPortrait()
    timeline.expect(["busy …", "label: 1 person", "people: Grace Hopper", "portrait: true", "idle"])

    // Another name, and one more before the first is answered. The stale answer is never shown.
    let requests = server.hits("/directory")
    search.text = "he"
    try timeline.wait(for: "the slow request", until: server.hits("/directory") == requests + 1)
    search.text = "hert"
    try timeline.wait(for: "people: Hertha Ayrton")
    try timeline.wait(for: "the late answer", until: server.answers("/directory") == requests + 2)
    try waitForPortrait()
    timeline.expect(["busy …", "idle", "busy …", "people: Hertha Ayrton", "portrait: true", "idle"])

    // An unknown name clears all of them.
    search.text = "nobody"
    try timeline.wait(for: "no portrait")
    try timeline.wait(for: "the end of the request", until: !search.isBusy)
    timeline.expect(["busy …", "label: ", "no portrait", "people: ", "idle"])
    timeline.expect("message", search.message, "No matches.")

    // A failure clears them too, but does not end the search.
    search.text = "ada"
    try waitForPortrait()
    timeline.expect(["busy …", "label: 1 person", "people: Ada Lovelace", "portrait: true", "idle"])
    search.isServerFailing = true
    try timeline.wait(for: "no portrait")
    timeline.expect(["busy …", "idle", "label: ", "no portrait", "people: "])
    timeline.expect("message", search.message, "The directory does not answer: status(503).")
    search.isServerFailing = false
    try waitForPortrait()
    timeline.expect(["busy …", "label: 1 person", "people: Ada Lovelace", "portrait: true", "idle"])
    view = []
  }

  private func isPicture(_ data: Data) -> Bool {
    String(decoding: data, as: UTF8.self).hasPrefix("<svg")
  }
}
