import CombineThreads
import Synchronization

/// The part of a machine's state that is read without its lock.
///
/// It has a protocol of its own, as an optional, which `RawRepresentable` makes, is looked up in a debug build for each element.
@usableFromInline
protocol MachineMirror {

  init(rawValue: Int)

  var rawValue: Int { get }
}

/// A state machine whose steps are taken with a lock held.
@usableFromInline
protocol SteppedMachine: ~Copyable {

  associatedtype Mirror: MachineMirror

  var mirror: Mirror { get }
}

/// A machine and its lock: the base of a conduit that more than one upstream or thread feeds.
///
/// For each event a conduit takes a step, with the lock held, and then does what the step has returned, with the lock free.
@usableFromInline
class Stepped<Machine: SteppedMachine & ~Copyable> {

  /// Guards the machine, and what a conduit keeps beside it.
  @usableFromInline
  final let lock = Lock()

  /// The mirror of the machine after its last step.
  @usableFromInline
  final let mirrorWord: Atomic<Int>

  @exclusivity(unchecked)  // Only with the lock held.
  @usableFromInline
  final var machine: Machine

  @inlinable
  init(_ machine: consuming Machine) {
    mirrorWord = Atomic(machine.mirror.rawValue)
    self.machine = machine
  }

  /// What an element reads, by one load.
  @inlinable
  @inline(__always)
  final var mirror: Machine.Mirror {
    Machine.Mirror(rawValue: mirrorWord.load(ordering: .acquiring))
  }

  /// Takes a step. What it returns to be released is released with the lock free.
  @inlinable
  @inline(__always)
  final func step<Result: ~Copyable>(_ body: (inout Machine) -> Result) -> Result {
    lock.lock()
    let result = body(&machine)
    mirrorWord.store(machine.mirror.rawValue, ordering: .releasing)
    lock.unlock()
    return result
  }
}
