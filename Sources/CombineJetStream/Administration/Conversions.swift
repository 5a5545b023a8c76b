#if JetStream
  import CNATS
  import CombineCore
  import Foundation

  // Between the structures of the library and those of this module. The library counts times in nanoseconds.

  extension StreamConfiguration {

    /// Fills a structure of the library, whose strings live as long as `strings`. It changes nothing that it does not know.
    func fill(_ target: inout jsStreamConfig, _ strings: CStrings) {
      target.Name = strings.copy(name)
      target.Description = strings.copy(text)
      target.Subjects = strings.copy(subjects)
      target.SubjectsLen = Int32(subjects.count)
      target.Storage = storage == .file ? js_FileStorage : js_MemoryStorage
      target.Retention =
        switch retention {
        case .limits: js_LimitsPolicy
        case .interest: js_InterestPolicy
        case .workQueue: js_WorkQueuePolicy
        }
      target.Discard = discard == .old ? js_DiscardOld : js_DiscardNew
      target.MaxMsgs = limit(maximumMessages)
      target.MaxMsgsPerSubject = limit(maximumMessagesPerSubject)
      target.MaxBytes = limit(maximumBytes)
      target.MaxAge = maximumAge?.nanoseconds ?? 0
      target.MaxMsgSize = Int32(clamping: limit(maximumMessageSize))
      target.Duplicates = completed.duplicateWindow.nanoseconds
      target.Replicas = Int64(replicas)
      target.Mirror = mirror.map { strings.copy([$0.filled(strings)]) }.flatMap { $0[0] }
      target.Sources = sources.isEmpty ? nil : strings.copy(sources.map { $0.filled(strings) })
      target.SourcesLen = Int32(sources.count)
    }

    init(_ source: jsStreamConfig) {
      self.init(
        name: string(source.Name) ?? "",
        subjects: (0..<Int(source.SubjectsLen)).compactMap { string(source.Subjects[$0]) }
      )
      text = string(source.Description)
      storage = source.Storage == js_FileStorage ? .file : .memory
      retention =
        switch source.Retention {
        case js_InterestPolicy: .interest
        case js_WorkQueuePolicy: .workQueue
        default: .limits
        }
      discard = source.Discard == js_DiscardOld ? .old : .new
      maximumMessages = positive(source.MaxMsgs)
      maximumMessagesPerSubject = positive(source.MaxMsgsPerSubject)
      maximumBytes = positive(source.MaxBytes)
      maximumAge = source.MaxAge > 0 ? .nanoseconds(source.MaxAge) : nil
      maximumMessageSize = positive(Int64(source.MaxMsgSize))
      duplicateWindow = .nanoseconds(source.Duplicates)
      replicas = Int(source.Replicas)
      mirror = source.Mirror.map { Source($0.pointee) }
      sources = (0..<Int(source.SourcesLen)).compactMap { source.Sources[$0].map { Source($0.pointee) } }
    }
  }

  extension StreamConfiguration.Source {

    fileprivate func filled(_ strings: CStrings) -> jsStreamSource {
      var target = jsStreamSource()
      jsStreamSource_Init(&target)
      target.Name = strings.copy(name)
      target.OptStartSeq = startSequence ?? 0
      target.FilterSubject = strings.copy(filterSubject)
      return target
    }

    fileprivate init(_ source: jsStreamSource) {
      self.init(
        string(source.Name) ?? "",
        startSequence: source.OptStartSeq > 0 ? source.OptStartSeq : nil,
        filterSubject: string(source.FilterSubject)
      )
    }
  }

  extension StreamInfo {

    init(_ source: jsStreamInfo) {
      configuration = StreamConfiguration(source.Config.pointee)
      created = date(source.Created)
      messageCount = source.State.Msgs
      byteCount = source.State.Bytes
      firstSequence = source.State.FirstSeq
      lastSequence = source.State.LastSeq
      consumerCount = Int(source.State.Consumers)
      leader = source.Cluster.flatMap { string($0.pointee.Leader) }
    }
  }

  extension ConsumerConfiguration {

    /// Fills a structure of the library, whose strings live as long as `strings`.
    func fill(_ target: inout jsConsumerConfig, _ strings: CStrings) {
      jsConsumerConfig_Init(&target)
      target.Durable = strings.copy(durable)
      target.Description = strings.copy(text)
      switch start {
      case .all: target.DeliverPolicy = js_DeliverAll
      case .last: target.DeliverPolicy = js_DeliverLast
      case .lastPerSubject: target.DeliverPolicy = js_DeliverLastPerSubject
      case .new: target.DeliverPolicy = js_DeliverNew
      case .sequence(let sequence):
        target.DeliverPolicy = js_DeliverByStartSequence
        target.OptStartSeq = sequence
      case .time(let date):
        target.DeliverPolicy = js_DeliverByStartTime
        target.OptStartTime = Self.startNanoseconds(date)
      }
      target.AckPolicy =
        switch policy {
        case .explicit: js_AckExplicit
        case .none: js_AckNone
        case .all: js_AckAll
        }
      if policy != .none {
        target.AckWait = acknowledgementWait.nanoseconds
        target.MaxAckPending = Int64(maximumUnacknowledged)
      }
      target.MaxDeliver = limit(maximumDeliveries)
      target.BackOff = backOff.isEmpty ? nil : strings.copy(backOff.map(\.nanoseconds))
      target.BackOffLen = Int32(backOff.count)
      target.FilterSubject = strings.copy(filterSubject)
      target.HeadersOnly = headersOnly
      target.InactiveThreshold = inactivityThreshold?.nanoseconds ?? 0
      target.MemoryStorage = inMemory
    }

    /// The nanoseconds of a start, which are those of the whole second in its first tenth.
    ///
    /// The library (3.4.1) leaves out the zeros at the beginning of a fraction: 20.012 s become 20.12 s, and the messages in
    /// between would be lost.
    static func startNanoseconds(_ date: Date) -> Int64 {
      let nanoseconds = Int64(date.timeIntervalSince1970 * 1e9)
      let fraction = nanoseconds % 1_000_000_000
      return fraction < 100_000_000 ? nanoseconds - fraction : nanoseconds
    }

    init(_ source: jsConsumerConfig) {
      self.init(durable: string(source.Durable))
      text = string(source.Description)
      start =
        switch source.DeliverPolicy {
        case js_DeliverLast: .last
        case js_DeliverLastPerSubject: .lastPerSubject
        case js_DeliverNew: .new
        case js_DeliverByStartSequence: .sequence(source.OptStartSeq)
        case js_DeliverByStartTime: .time(date(source.OptStartTime))
        default: .all
        }
      policy =
        switch source.AckPolicy {
        case js_AckNone: .none
        case js_AckAll: .all
        default: .explicit
        }
      acknowledgementWait = .nanoseconds(source.AckWait)
      maximumUnacknowledged = Int(source.MaxAckPending)
      maximumDeliveries = positive(source.MaxDeliver)
      backOff = (0..<Int(source.BackOffLen)).map { .nanoseconds(source.BackOff[$0]) }
      filterSubject = string(source.FilterSubject)
      headersOnly = source.HeadersOnly
      inactivityThreshold = source.InactiveThreshold > 0 ? .nanoseconds(source.InactiveThreshold) : nil
      inMemory = source.MemoryStorage
    }
  }

  extension ConsumerInfo {

    init(_ source: jsConsumerInfo) {
      stream = string(source.Stream) ?? ""
      name = string(source.Name) ?? ""
      configuration = ConsumerConfiguration(source.Config.pointee)
      created = date(source.Created)
      unacknowledgedCount = Int(source.NumAckPending)
      redeliveredCount = Int(source.NumRedelivered)
      pendingCount = source.NumPending
      waitingRequestCount = Int(source.NumWaiting)
      deliveredSequence = source.Delivered.Stream
      acknowledgedSequence = source.AckFloor.Stream
      leader = source.Cluster.flatMap { string($0.pointee.Leader) }
      isPull = source.Config.pointee.DeliverSubject == nil
    }
  }

  /// A limit, which is -1 if there is none.
  private func limit(_ number: Int?) -> Int64 { Int64(number ?? -1) }

  private func positive(_ number: Int64) -> Int? { number > 0 ? Int(number) : nil }

  private func date(_ nanoseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(nanoseconds) / 1e9) }

  private func string(_ source: UnsafePointer<CChar>?) -> String? {
    guard let source, source.pointee != 0 else { return nil }
    return String(cString: source)
  }
#endif
