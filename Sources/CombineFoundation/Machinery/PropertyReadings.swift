/// Decides which change of an observed property is answered by which reading of it: a pure state machine.
///
/// A change is announced by the thread that makes it, after it was made, through the registration of a reading. Each
/// reading that answers the current registration makes the next one, as the property may depend on others by then.
/// Between its look at the property and its registration another thread may change the property; the older
/// registration announces that, which is why it is kept until the reading is over.
struct PropertyReadings {

  /// What to do next about a change.
  enum Step: Equatable {

    /// Nothing: a reading that is under way will look again, or made the change itself.
    case ignore

    /// The property is to be read by this thread, with a new registration or without.
    case read(registering: Bool)

    /// What was read is the present value. The first number is 1.
    case done(number: Int)
  }

  /// The thread that is reading; zero if none is.
  private var reader: UInt = 0

  /// What a change that came during a reading calls for.
  private var pending = Step.ignore

  /// The newest registration.
  private(set) var registration = 0

  /// How many values were read.
  private var readCount = 0

  /// The number of the newest value that was sent.
  private var sentNumber = 0

  /// Starts the first reading, which makes registration 1.
  mutating func start(on thread: UInt) {
    reader = thread
    registration = 1
  }

  /// A registration announces a change.
  mutating func change(announcedBy registration: Int, on thread: UInt) -> Step {
    // An older one announces a change that was made while it was being replaced, perhaps before the reading.
    let step = Step.read(registering: registration == self.registration)
    if reader == 0 {
      reader = thread
      return begin(step)
    }
    // A getter that changes what it depends on has read what it returns: asking again might never end.
    if reader != thread, pending != .read(registering: true) { pending = step }
    return .ignore
  }

  /// The property was read.
  mutating func finish() -> Step {
    let next = pending
    pending = .ignore
    guard next == .ignore else { return begin(next) }
    reader = 0
    return .done(number: number())
  }

  private mutating func begin(_ step: Step) -> Step {
    if step == .read(registering: true) { registration += 1 }
    return step
  }

  /// Numbers a value that was read before a change.
  mutating func number() -> Int {
    readCount += 1
    return readCount
  }

  /// Whether a newer value than this one was sent already.
  func isOvertaken(_ number: Int) -> Bool {
    number <= sentNumber
  }

  /// Notes that a value is about to be sent.
  mutating func send(_ number: Int) {
    sentNumber = number
  }
}
