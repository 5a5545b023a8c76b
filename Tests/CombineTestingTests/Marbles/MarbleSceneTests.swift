import CombineCore
@_spi(Diagrams) import CombineTesting
import Testing

@Suite struct MarbleSceneTests {

  @Test func aSceneHasWhatTheInputsAndThePublisherHaveSent() throws {
    let scenes = MarbleScene.recording {
      marbles {
        "a-b---|"
        "--c-d|"
        $0[0].merge(with: $0[1]).prefix(2)
        "a-(b|)"
        "^-!"
      }
    }
    try #require(scenes.count == 1)
    #expect(marks(scenes[0].inputs[0]) == ["a 0", "b 2", "| 6"])
    #expect(marks(scenes[0].inputs[1]) == ["c 2", "d 4", "| 5"])
    #expect(marks(scenes[0].output) == ["a 0", "b 2", "| 2"])
    #expect(scenes[0].subscriptions.map(marks) == [["^ 0", "! 2"]])
    #expect(scenes[0].isExpected)
    #expect((scenes[0].output.start..<scenes[0].output.end) == 0..<6)
  }

  @Test func aColdInputHasTheEventsOfItsDiagram() throws {
    let scenes = MarbleScene.recording {
      marbles {
        "a-#"
        $0.cold(0).retry(1)
        "a-a-#"
      }
    }
    #expect(scenes.map { $0.inputs.map(marks) } == [[["a 0", "# 2"]]])
  }

  @Test func eventsBeforeTheSubscriptionHaveNegativeTimes() throws {
    let scenes = MarbleScene.recording {
      marbles {
        "x-^a|"
        $0[0]
        "^a|"
      }
    }
    #expect(scenes.map { $0.inputs.map(marks) } == [[["x -2", "a 1", "| 2"]]])
    #expect(scenes.map(\.inputs[0].start) == [-2])
  }

  @Test func theTextOfAValueTellsWhatItsLetterStandsFor() throws {
    let scenes = MarbleScene.recording {
      marbles(outputs: ["x": 2]) {
        "a-|"
        $0[0].map { _ in 2 }
        "x-|"
      }
    }
    #expect(scenes.map { $0.output.events.map(\.text) } == [["value x = 2", "finished"]])
  }

  @Test func nothingIsRecordedOutside() {
    marbles {
      "a|"
      $0[0]
      "a|"
    }
    #expect(MarbleScene.recording {}.isEmpty)
  }

  private func marks(_ line: MarbleScene.Line) -> [String] {
    line.events.map { "\($0.mark) \($0.time)" }
  }
}
