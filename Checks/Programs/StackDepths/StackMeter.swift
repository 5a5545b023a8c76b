import Foundation

/// Measures how much of a thread's stack code takes, to the page.
enum StackMeter {

  /// Room for unlimited recursion. Untouched memory costs nothing.
  private static let size = 1 << 29

  /// Whether this program runs under a sanitizer, which makes frames several times larger.
  static let isSanitized: Bool = {
    let program = dlopen(nil, RTLD_NOW)
    return dlsym(program, "__asan_init") != nil || dlsym(program, "__tsan_init") != nil
  }()

  /// Runs code on a new thread.
  ///
  /// - Returns: The number of touched bytes of its stack, minus those that an empty thread touches.
  static func measure(_ body: @escaping @Sendable () -> Void) -> Int {
    max(0, touched(body) - baseline)
  }

  private static let baseline = touched {}

  private static func touched(_ body: @escaping @Sendable () -> Void) -> Int {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | noReserve
    guard let stack = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0), stack != MAP_FAILED else {
      fatalError("no memory for a stack")
    }
    defer { munmap(stack, size) }
    let pageSize = Int(getpagesize())
    mprotect(stack, pageSize, PROT_NONE)  // A thread that needs more is stopped.
    run(body, on: stack)
    // New memory is zero, and a stack grows down. Frames may skip some pages, but not that many.
    var (used, unused) = (0, 0)
    for page in stride(from: size - pageSize, through: pageSize, by: -pageSize) where unused < 64 {
      if isZero(stack + page, count: pageSize) {
        unused += 1
      } else {
        unused = 0
        used = size - page
      }
    }
    return used
  }

  private static func isZero(_ page: UnsafeMutableRawPointer, count: Int) -> Bool {
    let words = UnsafeBufferPointer(start: page.assumingMemoryBound(to: UInt.self), count: count / 8)
    return words.allSatisfy { $0 == 0 }
  }

  private static func run(_ body: @escaping @Sendable () -> Void, on stack: UnsafeMutableRawPointer) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstack(&attributes, stack, size)
    defer { pthread_attr_destroy(&attributes) }
    let block = Unmanaged.passRetained(Block(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = pthread_create(&thread, &attributes, { Block.run($0) }, block)
      precondition(status == 0, "no thread could be started")
      pthread_join(thread!, nil)
    #else
      var thread = pthread_t()
      let status = pthread_create(&thread, &attributes, { Block.run($0!) }, block)
      precondition(status == 0, "no thread could be started")
      pthread_join(thread, nil)
    #endif
  }

  private final class Block {

    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }

    static func run(_ block: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      Unmanaged<Block>.fromOpaque(block).takeRetainedValue().body()
      return nil
    }
  }

  #if canImport(Darwin)
    private static let noReserve: Int32 = 0
  #else
    private static let noReserve = MAP_NORESERVE
  #endif
}
