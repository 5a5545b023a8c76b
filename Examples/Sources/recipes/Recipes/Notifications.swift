import Combine
import Foundation

/// 17: notifications as values, with their user info, from one sender or from all.
struct Notifications: Recipe {
  let number = 17
  let title = "NotificationCenter"

  /// A player that posts a notification when its song changes.
  final class Player {
    let name: String

    init(name: String) {
      self.name = name
    }

    func play(_ song: String) {
      NotificationCenter.default.post(name: .songDidChange, object: self, userInfo: ["song": song])
    }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    let kitchen = Player(name: "kitchen")
    let studio = Player(name: "studio")

    // From any sender.
    let everywhere = NotificationCenter.default.publisher(for: .songDidChange)
      .compactMap { $0.userInfo?["song"] as? String }
      .sink { timeline.log("somewhere: \($0)") }
    kitchen.play("So What")
    studio.play("Naima")
    NotificationCenter.default.post(name: .songDidChange, object: nil)  // It names no song.
    timeline.expect(["somewhere: So What", "somewhere: Naima"])
    everywhere.cancel()

    // From one sender.
    let inStudio = NotificationCenter.default.publisher(for: .songDidChange, object: studio)
      .compactMap { $0.userInfo?["song"] as? String }
      .sink { timeline.log("studio: \($0)") }
    kitchen.play("Blue in Green")
    studio.play("Giant Steps")
    inStudio.cancel()
    studio.play("Countdown")
    timeline.expect(["studio: Giant Steps"])
  }
}

extension Notification.Name {
  fileprivate static let songDidChange = Notification.Name("songDidChange")
}
