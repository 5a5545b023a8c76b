import Combine
import Foundation
import main_actor_model

/// 43: a view model in a module with `.defaultIsolation(MainActor.self)`. The model is in `main-actor-model`, a target of its
/// own, because the setting is one of a target.
struct DefaultIsolation: Recipe {
  let number = 43
  let title = "Module on the main actor"

  func run(_ timeline: Timeline, _ server: Server) throws {
    Task { @MainActor in
      let model = UserModel()
      for (name, load) in [("sink(on:)", model.load), ("receive(on:)", model.loadWithCombine)] {
        for id in [1, 996] {
          load(server.url("users/\(id)"))
          for await status in model.$status.values where status != "loading" {
            timeline.log("\(name): \(status), \(model.name)")
            break
          }
        }
      }
      timeline.log("done")
    }
    try timeline.wait(for: "done")
    timeline.expect([
      "sink(on:): loaded, Ada Lovelace", "sink(on:): failed, Ada Lovelace",
      "receive(on:): loaded, Ada Lovelace", "receive(on:): failed, Ada Lovelace",
      "done",
    ])
  }
}
