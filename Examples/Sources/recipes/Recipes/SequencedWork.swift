import Combine
import Foundation

/// 7: work in steps. Each `flatMap` starts after the previous step, and `zip` joins parallel steps.
///
/// The pipeline is in `Models/Workflow.swift`.
struct SequencedWork: Recipe {
  let number = 7
  let title = "Sequencing work"

  func run(_ timeline: Timeline, _ server: Server) throws {
    let workflow = Workflow(url: server.url)
    let display = workflow.progress.sink { timeline.log("\($0)") }

    // The first run is cancelled during the parallel steps.
    workflow.start()
    try timeline.wait(for: "step 2c …")
    timeline.expect(["step 1 …", "step 1 done", "step 2a …", "step 2b …", "step 2c …"])
    timeline.expect("states", workflow.states, ["1": .done, "2a": .running, "2b": .running, "2c": .running])
    workflow.start()
    timeline.expect(["cancelled", "step 1 …"])
    timeline.expect("states", workflow.states, ["1": .running])

    // The second run completes all steps, and no event of the first run follows.
    try timeline.wait(for: "step 1 done")
    timeline.expect(["step 1 done", "step 2a …", "step 2b …", "step 2c …"])
    try timeline.wait(for: "step 3 …")
    timeline.expect(inAnyOrder: ["step 2a done", "step 2b done", "step 2c done", "step 3 …"])
    try timeline.wait(for: "finished: 2a + 2b + 2c, then 3, then 4")
    timeline.expect(["step 3 done", "step 4 …", "step 4 done", "finished: 2a + 2b + 2c, then 3, then 4"])
    timeline.expect("states", Set(workflow.states.values), [.done])
    // The server may still be working on a cancelled request, in addition to the three.
    let most = server.mostStepsAtOnce
    timeline.expect("three steps side by side in the server", most >= 3, got: most)
    display.cancel()
  }
}
