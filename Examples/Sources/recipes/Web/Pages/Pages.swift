import Combine
import Foundation

extension WebApp.Definition {

  /// Returns all pages.
  ///
  /// - Parameter server: The server that the models use.
  static func all(_ server: Server) -> [Self] {
    [search(server), signUp, sequencedWork(server), sharing(server), compass, scene]
  }

  private static func search(_ server: Server) -> Self {
    Self(
      name: "search",
      title: "Search as you type",
      summary:
        "Type a name. <code>debounce</code> waits for a pause, and <code>switchToLatest</code> drops the answers of older texts.",
      sources: [.model("PeopleSearch")],
      stages: ["typed", "asked", "request", "people", "count", "portrait"]
    ) { page in
      let search = PeopleSearch(directory: Directory(url: server.url), stages: page.stages)
      page.input("text", search, \.text)
      page.input("failing", search, \.isServerFailing)
      page.visible("busy", search.values(of: \.isBusy))
      page.text("count", search.values(of: \.count))
      page.text("people", search.values(of: \.people).map { $0.map(\.name).joined(separator: "\n") })
      page.image("portrait", search.values(of: \.portrait))
      page.text("message", search.values(of: \.message))
    }
  }

  private static let signUp = Self(
    name: "sign-up",
    title: "Sign-up form",
    summary: "Fill in three fields. Rules, messages and the button follow them with <code>combineLatest</code>.",
    sources: [.model("SignUpForm")],
    stages: ["name", "password", "repetition", "can submit"]
  ) { page in
    let form = SignUpForm(stages: page.stages)
    page.input("name", form, \.name)
    page.input("password", form, \.password)
    page.input("repetition", form, \.repetition)
    page.text("name-message", form.values(of: \.nameMessage))
    page.text("password-message", form.values(of: \.passwordMessage))
    page.text("repetition-message", form.values(of: \.repetitionMessage))
    page.enabled("submit", form.values(of: \.canSubmit))
    page.button("submit", perform: form.submit)
    page.text("account", form.values(of: \.account).map { $0.map { "Welcome, \($0)." } ?? "" })
  }

  private static func sequencedWork(_ server: Server) -> Self {
    Self(
      name: "steps",
      title: "Sequenced work",
      summary:
        "Start requests that wait for each other: <code>flatMap</code> from step to step, <code>zip</code> for those side by side.",
      sources: [.model("Workflow")],
      stages: Workflow.steps.map { "step \($0)" } + ["result"]
    ) { page in
      let workflow = Workflow(url: { server.url("\($0)?milliseconds=600") }, stages: page.stages)
      for step in Workflow.steps {
        page.state("step-\(step)", workflow.values(of: \.states).map { $0[step]?.rawValue ?? "" })
      }
      page.text("outcome", workflow.values(of: \.outcome))
      page.button("start", perform: workflow.start)
      page.button("cancel", perform: workflow.cancel)
    }
  }

  private static func sharing(_ server: Server) -> Self {
    Self(
      name: "sharing",
      title: "Timers and sharing",
      summary:
        "Run a clock, and let three subscribers share one request with <code>share</code> or <code>multicast</code>.",
      sources: [.model("Clock"), .model("SharedRequest")],
      stages: ["timer", "request", "subscriber 1", "subscriber 2", "subscriber 3"]
    ) { page in
      let clock = Clock(stages: page.stages)
      page.input("running", clock, \.isRunning)
      page.text("time", clock.values(of: \.time))

      // Each tab has a separate route, so that its hits are only those of this tab.
      let path = "answers/\(UUID().uuidString)"
      let request = SharedRequest(
        url: server.url(path),
        countHits: { server.hits("/\(path)") },
        stages: page.stages
      )
      page.button("ask-each", perform: request.askEach)
      page.button("ask-once", perform: request.askOnce)
      page.button("prepare", perform: request.prepare)
      page.button("connect", perform: request.connect)
      page.enabled("connect", request.values(of: \.isPrepared))
      for index in 0..<3 {
        page.text("subscriber-\(index + 1)", request.values(of: \.answers).map { $0[index] })
      }
      page.text("hits", request.values(of: \.hits).map { "\($0)" })
    }
  }

  private static let compass = Self(
    name: "compass",
    title: "Delegate source",
    summary: "Switch a compass on. Its sensor has a delegate, which a <code>PassthroughSubject</code> wraps.",
    sources: [.model("Compass"), .model("HeadingSensor+Publisher")],
    stages: ["switch", "sensor", "needle"]
  ) { page in
    let sensor = HeadingSensor(interval: 0.4)
    let compass = Compass(sensor: sensor, stages: page.stages)
    page.input("on", compass, \.isOn)
    page.turned("needle", compass.values(of: \.heading))
    page.text("heading", compass.values(of: \.heading).map { "\(Int($0))°" })
    page.text("message", compass.values(of: \.message))
    page.button("disturb", perform: sensor.disturb)
  }

  private static let scene = Self(
    name: "scene",
    title: "Scene events",
    summary:
      "Run discs that collide. A subscription on one of them receives its events only, and finishes when it is removed.",
    sources: [
      .model("Scene/SceneBoard"), .model("Scene/Scene+Publisher"), .model("Scene/EventHub"), .model("Scene/Scene"),
    ],
    stages: ["running", "collisions", "sound", "followed", "distance", "first hit"],
    hasScript: true
  ) { page in
    let board = SceneBoard(scheduler: DispatchQueue.main, stages: page.stages)
    page.input("running", board, \.isRunning)
    page.drawing("canvas", board.values(of: \.picture))
    for name in SceneBoard.names {
      page.button("follow-\(name)") { board.follow(name) }
      page.enabled("follow-\(name)", board.values(of: \.picture).map { $0.contains { $0.name == name } })
      page.pressed("follow-\(name)", board.values(of: \.followed).map { $0 == name })
    }
    page.text("message", board.values(of: \.message))
    page.button("remove", perform: board.removeFollowed)
    page.enabled("remove", board.values(of: \.canRemove))
    page.button("add", perform: board.addMissing)
    page.enabled("add", board.values(of: \.canAdd))
    page.text("collisions", board.values(of: \.collisions).map { "\($0)" })
    page.text("sounds", board.values(of: \.sounds).map { "\($0)" })
    page.text("distance", board.values(of: \.distance))
    page.text("log", board.values(of: \.log).map { $0.joined(separator: "\n") })
  }
}

extension URL {
  /// Returns the source file of a model.
  fileprivate static func model(_ name: String, file: String = #filePath) -> URL {
    URL(filePath: file).deletingLastPathComponent().appending(path: "../../Models/\(name).swift").standardized
  }
}
