import Combine
import CombineExtras
import Foundation

/// 33: the state of a session is loaded once, and replayed to each view that appears later.
struct ReplayedSession: Recipe {
  let number = 33
  let title = "Replayed session"

  enum Session: Equatable {
    case signedOut
    case signedIn(token: String)
  }

  /// A store that signs in and out, and lives as long as the app.
  final class SessionStore {

    /// The session. Each view receives the current state first, if there is one yet.
    let session: AnyPublisher<Session, Never>

    private let accounts = PassthroughRelay<String?>()
    private let feed: AnyCancellable

    /// - Parameter token: A closure that requests a token for an account.
    init(token: @escaping (String) -> AnyPublisher<String, Never>) {
      let states = ReplaySubject<Session, Never>(replaying: 1)
      // The store subscribes itself. So the session outlives the views, and views cause no request.
      feed =
        accounts
        .flatMapLatest { account -> AnyPublisher<Session, Never> in
          guard let account else { return Just(.signedOut).eraseToAnyPublisher() }
          return token(account).map(Session.signedIn).receive(on: DispatchQueue.main).eraseToAnyPublisher()
        }
        .subscribe(states)
      session = states.eraseToAnyPublisher()
    }

    func signIn(_ account: String) { accounts.accept(account) }
    func signOut() { accounts.accept(nil) }
  }

  func run(_ timeline: Timeline, _ server: Server) throws {
    try replaySubject(timeline, server)
    try shareForever(timeline, server)
    shareWhileSubscribed(timeline)
  }

  private func answer(_ url: URL) -> AnyPublisher<String, Never> {
    URLSession.shared.dataTaskPublisher(for: url)
      .map { data, _ in String(decoding: data, as: UTF8.self) }
      .replaceError(with: "no answer")
      .eraseToAnyPublisher()
  }

  /// The state of an app, which a sign-out resets.
  private func replaySubject(_ timeline: Timeline, _ server: Server) throws {
    let store = SessionStore { account in answer(server.url("answers/\(account)")) }
    func view(_ name: String) -> AnyCancellable {
      store.session.sink { session in
        switch session {
        case .signedOut: timeline.log("\(name): signed out")
        case .signedIn(let token): timeline.log("\(name): \(token)")
        }
      }
    }

    // A view that is there before the session waits for it. A late one receives it inside its subscription.
    let early = view("early")
    store.signIn("session")
    try timeline.wait(for: "early: answer 1")
    let late = view("late")
    timeline.expect(["early: answer 1", "late: answer 1"])

    // The session outlives its views.
    early.cancel()
    late.cancel()
    let next = view("next")
    timeline.expect(["next: answer 1"])
    timeline.expect("requests", server.hits("/answers/session"), 1)

    // A sign-out replaces the session for present and for late views.
    store.signOut()
    let afterwards = view("afterwards")
    timeline.expect(["next: signed out", "afterwards: signed out"])
    afterwards.cancel()

    // A sign-out before the answer cancels the request. Nobody is signed in by a late answer.
    store.signIn("session")
    try timeline.wait(for: "the second request", until: server.hits("/answers/session") == 2)
    store.signOut()
    store.signIn("session")
    try timeline.wait(for: "next: answer 3")
    timeline.expect(["next: signed out", "next: answer 3"])
    next.cancel()
  }

  /// The result of one request. It is made when the first view appears, and kept when no view is left.
  private func shareForever(_ timeline: Timeline, _ server: Server) throws {
    let profile = answer(server.url("answers/profile"))
      .receive(on: DispatchQueue.main)
      .share(replay: 1, scope: .forever)
    timeline.expect("requests before the first view", server.hits("/answers/profile"), 0)

    let views = ["list", "detail"].map { name in profile.sink { timeline.log("\(name): \($0)") } }
    try timeline.wait(for: "detail: answer 1")
    timeline.expect(["list: answer 1", "detail: answer 1"])
    views.forEach { $0.cancel() }

    let late = profile.sink { timeline.log("late: \($0)") }
    timeline.expect(["late: answer 1"])
    timeline.expect("requests", server.hits("/answers/profile"), 1)
    late.cancel()
  }

  /// The latest of the changes that happen while a view is there. When the last view disappears, it is dropped, because
  /// it may be outdated when the next one appears.
  private func shareWhileSubscribed(_ timeline: Timeline) {
    let theme = NotificationCenter.default.publisher(for: .themeDidChange)
      .compactMap { $0.userInfo?["theme"] as? String }
      .share(replay: 1, scope: .whileSubscribed)
    func change(to theme: String) {
      NotificationCenter.default.post(name: .themeDidChange, object: nil, userInfo: ["theme": theme])
    }

    let window = theme.sink { timeline.log("window: \($0)") }
    change(to: "dark")
    let panel = theme.sink { timeline.log("panel: \($0)") }
    timeline.expect(["window: dark", "panel: dark"])

    window.cancel()
    panel.cancel()
    change(to: "light")
    let next = theme.sink { timeline.log("next window: \($0)") }
    timeline.expect([])
    change(to: "blue")
    timeline.expect(["next window: blue"])
    next.cancel()
  }
}

extension Notification.Name {
  fileprivate static let themeDidChange = Notification.Name("themeDidChange")
}
