import CombineExtras
import Dispatch
import Hummingbird
import ServiceLifecycle

extension Station {

  /// Returns the routes of the server.
  ///
  /// - Parameter heartbeat: The interval between two comments of an event stream.
  public func router(heartbeat: DispatchQueue.SchedulerTimeType.Stride = .seconds(15)) -> Router<BasicRequestContext> {
    let router = Router()
    router.post("readings") { request, context -> HTTPResponse.Status in
      self.take(try await request.decode(as: Reading.self, context: context))
      return .accepted
    }
    router.get("readings/:sensor") { _, context -> Reading in
      guard let reading = self.latest(of: try context.parameters.require("sensor")) else { throw HTTPError(.notFound) }
      return reading
    }
    router.get("alerts") { request, _ -> Response in
      let limit = request.uri.queryParameters.get("above", as: Double.self) ?? 30
      return Response(
        status: .ok,
        headers: [.contentType: "text/event-stream"],
        body: ResponseBody { writer in
          try await self.write(to: &writer, above: limit, heartbeat: heartbeat)
        }
      )
    }
    return router
  }

  /// Writes alerts until the client is gone or the server is asked to stop.
  ///
  /// The loop requests the next line when the connection has taken the last one. What arrives meanwhile waits in the buffer,
  /// and the oldest lines are dropped for a client that is too slow. Leaving the loop cancels the pipeline.
  private func write(
    to writer: inout any ResponseBodyWriter,
    above limit: Double,
    heartbeat: DispatchQueue.SchedulerTimeType.Stride
  ) async throws {
    let stop = PassthroughSubject<Void, Never>()
    let lines = events(above: limit, heartbeat: heartbeat)
      .prepend(": connected\n\n")
      .prefix(untilOutputFrom: stop)
      .buffer(size: 100, prefetch: .byRequest, whenFull: .dropOldest)
    // The subscription begins here. Before the first line, so that a client that has it misses nothing.
    var iterator = lines.values.makeAsyncIterator()
    // Without this, the server would wait for its clients when it stops.
    try await withGracefulShutdownHandler {
      while let line = await iterator.next() {
        try await writer.write(ByteBuffer(string: line))
      }
      try await writer.finish(nil)
    } onGracefulShutdown: {
      stop.send()
    }
  }
}
