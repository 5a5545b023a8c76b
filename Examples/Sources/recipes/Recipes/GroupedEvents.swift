import Combine
import CombineExtras
import Foundation

/// 34: `groupBy` gives each key a pipeline of its own: a debounce for each document, a count for each door.
struct GroupedEvents: Recipe {
  let number = 34
  let title = "Grouped events"

  func run(_ timeline: Timeline, _ server: Server) throws {
    try saveEachDocument(timeline, server)
    countVisitors(timeline)
  }

  // MARK: A debounce for each key

  private struct Edit {
    let document: String
    let text: String
  }

  private func edit(_ document: String, _ text: String) {
    NotificationCenter.default.post(
      name: .didEdit,
      object: nil,
      userInfo: ["edit": Edit(document: document, text: text)]
    )
  }

  /// Saves each document when its user pauses. With one debounce for all documents, work on one would keep the others
  /// from being saved, and an edit would discard the previous one of another document.
  private func saveEachDocument(_ timeline: Timeline, _ server: Server) throws {
    func save(_ edit: Edit) -> some Publisher<Edit, Never> {
      URLSession.shared.dataTaskPublisher(for: server.url("steps/\(edit.document)-\(edit.text)"))
        .map { _ in edit }
        .ignoreFailure()
    }

    var saved: [String: [String]] = [:]
    let saving = NotificationCenter.default.publisher(for: .didEdit)
      .compactMap { $0.userInfo?["edit"] as? Edit }
      .groupBy(\.document)
      .flatMap { document in
        document
          .debounce(for: .milliseconds(80), scheduler: DispatchQueue.main)
          .concatMap(save)
      }
      .receive(on: DispatchQueue.main)
      .sink { edit in saved[edit.document, default: []].append(edit.text) }

    // Someone types in the notes and does not pause.
    var latestNote = ""
    let typing = Timer.publish(every: 0.02, on: .main, in: .default).autoconnect()
      .enumerated(initial: 1)
      .sink { count, _ in
        latestNote = "note\(count)"
        edit("notes", latestNote)
      }

    // Meanwhile the letter and the list are written. Each is saved once, with its latest text.
    edit("letter", "D")
    edit("letter", "De")
    edit("list", "milk")
    edit("letter", "Dear")
    try timeline.wait(for: "letter and list saved", until: saved["letter"] != nil && saved["list"] != nil)
    timeline.expect("letter", saved["letter"], ["Dear"])
    timeline.expect("list", saved["list"], ["milk"])
    timeline.expect("requests with half a letter", server.hits("/steps/letter-D") + server.hits("/steps/letter-De"), 0)

    // The pause of the notes comes last.
    typing.cancel()
    try timeline.wait(for: "notes saved", until: saved["notes"]?.last == latestNote)
    timeline.expect("requests with the latest note", server.hits("/steps/notes-\(latestNote)"), 1)
    saving.cancel()
  }

  // MARK: A bounded number of groups

  private func enter(_ door: String) {
    NotificationCenter.default.post(name: .didEnter, object: nil, userInfo: ["door": door])
  }

  /// Counts visitors by door. There may be any number of doors, and at most two counts are kept at a time. The door that
  /// was not used for the longest time makes room: its group finishes, and its count is published.
  private func countVisitors(_ timeline: Timeline) {
    let counting = NotificationCenter.default.publisher(for: .didEnter)
      .compactMap { $0.userInfo?["door"] as? String }
      .prefix { $0 != "closing time" }
      .groupBy(maxGroups: 2) { $0 }
      .flatMap { visitors in visitors.count().map { "\(visitors.key): \($0)" } }
      .sink(receiveCompletion: { timeline.log($0) }, receiveValue: { timeline.log($0) })

    ["north", "south", "north", "north"].forEach(enter)
    timeline.expect([])
    enter("roof")
    timeline.expect(["south: 1"])
    enter("south")
    timeline.expect(["north: 3"])

    // The rest is counted at the end.
    enter("south")
    enter("closing time")
    timeline.expect(inAnyOrder: ["roof: 1", "south: 2", "finished"])
    counting.cancel()
  }
}

extension Notification.Name {
  fileprivate static let didEdit = Notification.Name("didEdit")
  fileprivate static let didEnter = Notification.Name("didEnter")
}
