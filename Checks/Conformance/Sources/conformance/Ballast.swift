import Scripts

/// Runs `body` with its allocations at different addresses, which depend on `attempt`. Zero changes nothing.
///
/// A set of objects has an order that depends on their addresses. This function makes the peer use a different order.
func withBallast<Result>(_ attempt: Int, _ body: () -> Result) -> Result {
  guard attempt > 0 else { return body() }
  var random = SplitMix64(seed: UInt64(attempt))
  var blocks: [UnsafeMutableRawPointer] = []
  for size in stride(from: 32, through: 320, by: 16) {
    for _ in 0..<Int.random(in: 0...24, using: &random) { blocks.append(.allocate(byteCount: size, alignment: 16)) }
  }
  blocks.shuffle(using: &random)
  // The holes are filled first, in their own random order.
  for _ in 0..<Int.random(in: 0...blocks.count, using: &random) { blocks.removeLast().deallocate() }
  defer { for block in blocks { block.deallocate() } }
  return body()
}
