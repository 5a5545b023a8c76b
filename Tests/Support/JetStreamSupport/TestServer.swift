#if JetStream
  import Foundation
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #endif

  /// A `nats-server` on the loopback address, with a port and a store of its own.
  ///
  /// The process ends with this object. Its id, not its name, is what is killed.
  package final class TestServer: @unchecked Sendable {  // Used by one thread at a time.

    package let port: UInt16
    package let folder: URL

    /// The folder of the streams, and more lines of their configuration.
    private let store: String
    private let limits: String

    /// More lines of the server's configuration.
    package let settings: String

    /// The program: `nats-server`, or what the variable `COMBINE_NATS_SERVER` names.
    private static let program = ProcessInfo.processInfo.environment["COMBINE_NATS_SERVER"]

    private var process: Process?

    package var url: String { "nats://\(address):\(port)" }

    private let address: String
    private let launcher: [String]

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - settings: More lines of the server's configuration.
    ///   - address: The address that it listens at.
    ///   - store: The folder of the streams. With `nil`, it is one of the server's own.
    ///   - limits: More lines of the configuration of streams, such as `max_file_store: 1MB`.
    ///   - launcher: A program with arguments that becomes the server, given the server's command.
    package init(
      settings: String = "",
      address: String = "127.0.0.1",
      store: String? = nil,
      limits: String = "",
      launcher: [String] = []
    ) throws {
      port = try Self.freePort()
      self.settings = settings
      self.address = address
      self.launcher = launcher
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("nats-\(UUID().uuidString)")
      self.limits = limits
      self.store = store ?? "\(folder.path)/store"
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try start()
    }

    deinit {
      kill()
      try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the server again, on the same port and store, and waits until it answers.
    package func start() throws {
      try writeConfiguration(settings)
      let log = folder.appendingPathComponent("log").path
      let process = Process()
      let command = launcher + [try Self.executable(), "-c", configuration.path, "-l", log]
      process.executableURL = URL(fileURLWithPath: command[0])
      process.arguments = Array(command.dropFirst())
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      self.process = process
      try waitBlocking("the server to answer") { answers() }
    }

    /// Ends the server without a warning (signal 9), and waits for its end.
    package func kill() {
      guard let process = exchangeProcess() else { return }
      send(SIGKILL, to: process)
      process.waitUntilExit()
    }

    /// Stops the server's threads, until ``resume()``, and waits until they have stopped.
    package func pause() {
      guard let process else { return }
      send(SIGSTOP, to: process)
      try? waitBlocking("the server to stop") { Self.isStopped(process.processIdentifier) }
    }

    /// Whether all threads of a process are stopped.
    private static func isStopped(_ process: Int32) -> Bool {
      let folder = "/proc/\(process)/task"
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return threads.allSatisfy { thread in
        let line = (try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)) ?? ""
        // The state follows the name, which is in parentheses.
        return line.split(separator: ")").last?.split(separator: " ").first == "T"
      }
    }

    /// Has the server tell its clients that it is about to end.
    package func beginLameDuckMode() {
      if let process { send(SIGUSR2, to: process) }
    }

    package func resume() {
      if let process { send(SIGCONT, to: process) }
    }

    /// Has the server read its configuration again, with other settings.
    package func reload(settings: String) throws {
      try writeConfiguration(settings)
      if let process { send(SIGHUP, to: process) }
    }

    private func writeConfiguration(_ settings: String) throws {
      try """
      listen: "\(address):\(port)"
      jetstream { store_dir: "\(store)"
      \(limits)
      }
      \(settings)
      """.write(to: configuration, atomically: true, encoding: .utf8)
    }

    private var configuration: URL { folder.appendingPathComponent("server.conf") }

    private func exchangeProcess() -> Process? {
      defer { process = nil }
      return process
    }

    private func send(_ signal: Int32, to process: Process) {
      _ = Glibc.kill(process.processIdentifier, signal)
    }

    /// Whether a connection to the port gets the server's greeting.
    private func answers() -> Bool {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var name = Self.loopback(port: port)
      name.sin_addr.s_addr = inet_addr(address)
      let isOpen = withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isOpen else { return false }
      var greeting = [UInt8](repeating: 0, count: 4)
      return recv(descriptor, &greeting, 4, 0) == 4 && greeting.elementsEqual("INFO".utf8)
    }

    /// Returns a port that no server of this process has had.
    ///
    /// Clients of a server that was killed go on trying its port, and the server may start there again. So no other server must
    /// have it meanwhile. The system, too, gives none of these ports away, as those that it chooses from are higher.
    package static func freePort() throws -> UInt16 {
      for _ in 0..<1000 {
        let number = UInt32(getpid()) &* 131 &+ portCount.wrappingAdd(1, ordering: .relaxed).oldValue
        let port = UInt16(10_000 + number % 20_000)
        if isFree(port) { return port }
      }
      throw Failure(text: "no free port")
    }

    private static let portCount = Atomic<UInt32>(0)

    private static func isFree(_ port: UInt16) -> Bool {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = loopback(port: port)
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return address
    }

    private static func executable() throws -> String {
      if let program { return program }
      let paths = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"]
      guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
        throw Failure(text: "no nats-server here: apt-get install nats-server")
      }
      return path
    }
  }

  /// A failure of the means of a test.
  package struct Failure: Error, CustomStringConvertible {

    package let text: String
    package var description: String { text }

    package init(text: String) {
      self.text = text
    }
  }

  /// Waits until a condition holds. It looks every few milliseconds.
  ///
  /// - Throws: A failure after 20 seconds, or after `seconds`.
  package func wait(_ what: String, seconds: Double = 20, until condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try !condition() {
      guard ContinuousClock.now < end else { throw Failure(text: "waited in vain for \(what)") }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Does the same as `wait`, and blocks.
  private func waitBlocking(_ what: String, until condition: () -> Bool) throws {
    let end = ContinuousClock.now + .seconds(20)
    while !condition() {
      guard ContinuousClock.now < end else { throw Failure(text: "waited in vain for \(what)") }
      usleep(2000)
    }
  }
#endif
