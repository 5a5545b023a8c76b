#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport

  /// Servers without room. Publishes wait, an event tells why, and all is stored in the end.
  extension StreamLoads {

    /// The server's files are in a file system of 32 MB, which another file fills under load.
    ///
    /// A server of the series 2.9 that cannot write answers nothing any more, and later ones switch JetStream off. Both are
    /// so until the server is started again, so it is, after there is room.
    static func diskFull() async throws {
      guard getuid() == 0 else { return report("  skipped: a file system of its own needs root") }
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(getpid())").path
      try command("mkdir -p \(folder)")
      try command("mount -t tmpfs -o size=32m tmpfs \(folder)")
      defer {
        try? command("umount \(folder)")
        try? command("rmdir \(folder)")
      }
      let server = try TestServer(store: "\(folder)/store")
      let filler = "\(folder)/filler"
      try await noRoom(on: server) {
        // All that is left.
        try? command("dd if=/dev/zero of=\(filler) bs=4096")
      } release: {
        try FileManager.default.removeItem(atPath: filler)
        server.kill()
        try server.start()
      }
    }

    /// The server has reached the limit for all of its streams. It goes on by itself when there is room.
    static func storeFull() async throws {
      let server = try TestServer(limits: "max_file_store: 20MB")
      try await noRoom(on: server) { jetStream in
        var configuration = StreamConfiguration(name: "FILLER", subjects: ["filler"])
        configuration.discard = .new
        try await jetStream.addStream(configuration)
        let payload = [UInt8](repeating: 1, count: 500_000)
        do {
          for _ in 0..<100 { _ = try await jetStream.publish(payload, to: "filler").value }
          throw Failure(text: "the store is not full")
        } catch let error as JetStreamError {
          report("  the server says: \(error)")
        }
        // What is left, to the byte.
        for size in [100_000, 10_000, 1000, 1] {
          while (try? await jetStream.publish([UInt8](repeating: 1, count: size), to: "filler").value) != nil {}
        }
      } release: { jetStream in
        try await jetStream.deleteStream("FILLER")
      }
    }

    private static func noRoom(
      on server: TestServer,
      fill: () async throws -> Void,
      release: () async throws -> Void
    ) async throws {
      try await noRoom(on: server, fill: { _ in try await fill() }, release: { _ in try await release() })
    }

    /// Stores numbers, with a time in between in which there is no room.
    private static func noRoom(
      on server: TestServer,
      fill: (JetStream) async throws -> Void,
      release: (JetStream) async throws -> Void
    ) async throws {
      let reasons = Guarded<[String]>([])
      let longest = Guarded(Duration.zero)
      try await disaster(urls: [server.url], replicas: 1, payload: 500) { jetStream in
        let watching = jetStream.connectionEvents.sink { event in
          guard case .resending(_, let time, let reason) = event else { return }
          longest.withLock { $0 = max($0, time) }
          reasons.withLock { $0.append(reason.map { "\($0)" } ?? "silence") }
        }
        try await fill(jetStream)
        try await eventually(seconds: 30) { reasons.withLock { !$0.isEmpty } }
        try await Task.sleep(for: .seconds(6))
        try await release(jetStream)
        watching.cancel()
      }
      report(
        """
          \(reasons.withLock { $0.count }) event(s) "resending", the longest wait \
        \(longest.withLock { $0 }.seconds.rounded(to: 1)) s, because of: \(reasons.withLock { Set($0) }.sorted())
        """
      )
    }
  }
#endif
