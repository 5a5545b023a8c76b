#if JetStream
  import CombineJetStream
  import Foundation
  import JetStreamSupport
  import TestSupport

  /// Another process that consumes, writes down each number before it is acknowledged, and is killed at any moment.
  final class ConsumerProcess {

    private let process = Process()

    /// Starts it.
    init(url: String, window: Int, log: URL) throws {
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["consume", url, "\(window)", log.path]
      try process.run()
    }

    func kill() {
      _ = Glibc.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    /// What the other process does.
    static func run(_ arguments: [String]) async {
      do {
        let jetStream = try await JetStream.connect(.init(servers: [arguments[0]]))
        let file = open(arguments[2], O_WRONLY | O_APPEND | O_CREAT, 0o644)
        let messages = jetStream.messages(
          stream: TestStream.name,
          consumer: TestStream.consumer,
          window: Int(arguments[1])!
        )
        let cancellable = messages.sink(
          receiveCompletion: {
            report("the consumer has ended: \($0)")
            exit(2)
          },
          receiveValue: { message in
            let line = Array("\(message.number)\n".utf8)
            _ = write(file, line, line.count)
            usleep(300)
          }
        )
        try await Task.sleep(for: .seconds(600))
        cancellable.cancel()
      } catch {
        report("the consumer has failed: \(error)")
        exit(2)
      }
    }

    /// The numbers in a log.
    static func numbers(in log: URL) -> [Int] {
      let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").compactMap { Int($0) }
    }
  }
#endif
