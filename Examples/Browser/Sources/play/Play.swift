import CBrowser

#if canImport(WASILibc)
  import WASILibc
#else
  import Glibc
#endif

// What the page *Operators* calls: the table of the operators, and the run of a case, both answered by `browser_send`.

/// An answer for a person who has made a case that cannot be run.
struct BadRequest: Error {

  let reason: String

  init(_ reason: String) { self.reason = reason }
}

@_expose(wasm, "table")
@_cdecl("table")
public func table() {
  send(OperatorRow.table().description)
}

/// Runs the case of a query, such as `op=debounce&a=ab--~&for=4`. The answer begins with `!` if there is no such case.
@_expose(wasm, "run")
@_cdecl("run")
public func run(_ address: UnsafeMutablePointer<UInt8>, _ length: Int32) {
  let text = String(decoding: UnsafeBufferPointer(start: address, count: Int(length)), as: UTF8.self)
  free(address)
  let query = text.split(separator: "&").map { part in
    let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (name: String(sides[0]), value: sides.count > 1 ? String(sides[1]) : "")
  }
  do {
    send(try OperatorRun(query: query).json.description)
  } catch {
    send("!" + error.reason)
  }
}

/// Finds the operator and the settings with which its code is that of a picture. The text is the operator's name in links, a line
/// break, and the code. The answer begins with `!` if there are none.
@_expose(wasm, "settings")
@_cdecl("settings")
public func settings(_ address: UnsafeMutablePointer<UInt8>, _ length: Int32) {
  let text = String(decoding: UnsafeBufferPointer(start: address, count: Int(length)), as: UTF8.self)
  free(address)
  let id = String(text.prefix { $0 != "\n" })
  let code = String(text.dropFirst(id.count + 1))
  if let found = Operator.ofPicture(id, showing: code) {
    send(found.operation.json(of: found.settings).description)
  } else {
    send("!")
  }
}

private func send(_ text: String) {
  var text = text
  text.withUTF8 { bytes in
    bytes.withMemoryRebound(to: CChar.self) { browser_send($0.baseAddress!, Int32($0.count)) }
  }
}
