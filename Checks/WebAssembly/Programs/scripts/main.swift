import Scripts
import StageOurs

#if canImport(Glibc)
  import Glibc
#elseif canImport(WASILibc)
  import WASILibc
#endif

//   scripts FIRST END
//
// Plays scripts on the library, and on the models where there is one. For each it prints a number that says what happened,
// event by event. A script may break a rule on purpose, which ends the process: its line then has no number, and the caller
// goes on with the next one.

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
// A breakpoint is a signal on this machine and a trap in WebAssembly.
let profiles = Contestant.ours.profiles.filter { !$0.name.hasPrefix("breakpoint") }
let generator = Generator(seed: 1, profiles: profiles)
let modelled = Set(Contestant.model.profiles.map(\.name))

func makeTrace() -> Trace {
  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
  memory.initializeMemory(as: UInt8.self, repeating: 0)
  return Trace(memory: memory)
}

/// A number that is the same for the same bytes on every platform.
func digest(_ trace: Trace) -> UInt64 {
  trace.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}

let (ours, models) = (makeTrace(), makeTrace())
for number in numbers[0]..<numbers[1] {
  let script = generator.script(number)
  print(number, script.entry, terminator: " ")
  fflush(nil)
  ours.clear()
  let violations = Contestant.ours.play(script, ours)
  print(
    String(digest(ours), radix: 16),
    violations.isEmpty ? "lawful" : violations.joined(separator: ", "),
    terminator: ""
  )
  if modelled.contains(script.entry) {
    models.clear()
    _ = Contestant.model.play(script, models)
    print(ours.isEqual(to: models) ? ", as the model" : ", not as the model", terminator: "")
  }
  print()
}
fflush(nil)
