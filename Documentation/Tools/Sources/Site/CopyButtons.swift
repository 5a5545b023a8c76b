/// The buttons that copy a listing, which DocC's pages show if their data say so.
enum CopyButtons {

  /// Adds a button to each listing in a part of a page's data.
  ///
  /// - Returns: The part, or `nil` if it has no listing.
  static func adding(to part: Any) -> Any? {
    switch part {
    case let block as [String: Any]:
      var changed = block
      var isChanged = false
      if block["type"] as? String == "codeListing" {
        changed["copyToClipboard"] = true
        isChanged = true
      }
      for (key, value) in block {
        guard let new = adding(to: value) else { continue }
        changed[key] = new
        isChanged = true
      }
      return isChanged ? changed : nil
    case let list as [Any]:
      let new = list.map { (old: $0, new: adding(to: $0)) }
      return new.contains { $0.new != nil } ? new.map { $0.new ?? $0.old } : nil
    default: return nil
    }
  }
}
