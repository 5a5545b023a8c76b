import Scripts

/// Runs `body` with what it allocates at other addresses, which depend on `attempt`; zero changes nothing.
///
/// The order of a set of objects comes from their addresses, so this is how the peer is made to take another.
func withBallast<Result>(_ attempt: Int, _ body: () -> Result) -> Result {
  guard attempt > 0 else { return body() }
  var random = SplitMix64(seed: UInt64(attempt))
  var blocks: [UnsafeMutableRawPointer] = []
  for size in stride(from: 32, through: 320, by: 16) {
    for _ in 0..<Int.random(in: 0...24, using: &random) { blocks.append(.allocate(byteCount: size, alignment: 16)) }
  }
  blocks.shuffle(using: &random)
  // The holes are filled first, in an order of their own.
  for _ in 0..<Int.random(in: 0...blocks.count, using: &random) { blocks.removeLast().deallocate() }
  defer { for block in blocks { block.deallocate() } }
  return body()
}
