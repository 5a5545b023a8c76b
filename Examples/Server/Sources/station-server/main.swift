import Hummingbird
import Station

let server = Application(
  router: Station().router(),
  configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8080))
)
try await server.runService()
