import CBrowser
import CombineCore

#if canImport(WASILibc)
  import WASILibc
#else
  import Glibc
#endif

// What `index.html` calls. There is one thread, so all of it is on the main actor.

@MainActor private let search = Search()
@MainActor private var cancellable: AnyCancellable?

@_expose(wasm, "start")
@_cdecl("start")
public func start() {
  MainActor.assumeIsolated {
    cancellable = search.$found.dropFirst().sink { names in
      MainActor.assumeIsolated { show("search \(search.count): \(names.joined(separator: " "))") }
    }
  }
}

@_expose(wasm, "typed")
@_cdecl("typed")
public func typed(_ address: UnsafeMutablePointer<UInt8>, _ length: Int32) {
  let text = String(decoding: UnsafeBufferPointer(start: address, count: Int(length)), as: UTF8.self)
  free(address)
  MainActor.assumeIsolated { search.text = text }
}

private func show(_ text: String) {
  var text = text
  text.withUTF8 { bytes in
    bytes.withMemoryRebound(to: CChar.self) { browser_send($0.baseAddress!, Int32($0.count)) }
  }
}
