/// The pure state of an observed property, which decides how each change of the property is read.
///
/// The thread that makes a change announces it afterwards, through the registration of a reading. A reading that
/// answers the current registration also makes the next one, because the property may depend on other properties by
/// then.
///
/// Another thread may change the property between the access to the property and the new registration. The older
/// registration announces that change, so it is kept until the reading has finished.
struct PropertyReadings {

  /// The next step after a change.
  enum Step: Equatable {

    /// No step. A reading in progress will read again, or its getter made the change.
    case ignore

    /// This thread reads the property, with or without a new registration.
    case read(registering: Bool)

    /// The value read is the current one. The first number is 1.
    case done(number: Int64)
  }

  /// The thread that is reading, or zero.
  private var reader: UInt = 0

  /// The step that a change during a reading requires.
  private var pending = Step.ignore

  /// The number of the newest registration.
  private(set) var registration: Int64 = 0

  /// The number of values read so far.
  private var readCount: Int64 = 0

  /// The number of the newest value that was sent.
  private var sentNumber: Int64 = 0

  /// Starts the first reading, which makes registration 1.
  mutating func start(on thread: UInt) {
    reader = thread
    registration = 1
  }

  /// Handles the announcement of a change by a registration.
  mutating func change(announcedBy registration: Int64, on thread: UInt) -> Step {
    // An older registration announces a change made while that registration was being replaced. The reading may have
    // seen the change or not.
    let step = Step.read(registering: registration == self.registration)
    if reader == 0 {
      reader = thread
      return begin(step)
    }
    // A getter that changes a property it depends on has already read its result. Reading again might never end.
    if reader != thread, pending != .read(registering: true) { pending = step }
    return .ignore
  }

  /// Handles the end of a reading.
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

  /// Returns the number of a value that is read before a change.
  mutating func number() -> Int64 {
    readCount += 1
    return readCount
  }

  /// Returns whether a newer value than this one was already sent.
  func isOvertaken(_ number: Int64) -> Bool {
    number <= sentNumber
  }

  /// Records that a value is about to be sent.
  mutating func send(_ number: Int64) {
    sentNumber = number
  }
}
