import Synchronization

extension Conduits {

  /// The subscription of a publisher of one value: delivers it, and `.finished`, at the first request.
  ///
  /// It is one block of memory, and no type parameter concerns the class: a generic class is destroyed, and its methods
  /// are reached through the existential that the downstream holds, by code that looks up every type at run time. What
  /// it holds lies behind the header, in a payload of which only ``SingleValueHeader/act`` knows the type.
  @usableFromInline
  final class SingleValue: ManagedBuffer<SingleValueHeader, UInt8>, Subscription {

    /// Attaches a subscriber to a publisher of one value.
    @inlinable
    @inline(__always)
    static func send<Downstream: Subscriber>(
      _ value: Downstream.Input,
      of source: SingleValueHeader.Source,
      to downstream: Downstream
    ) {
      let isSent = downstream._receiveAll(until: { nil }) {
        _ = downstream.receive(value)
        downstream.receive(completion: .finished)
      }
      if !isSent { downstream.receive(subscription: make(value, of: source, downstream: downstream)) }
    }

    @inlinable
    @inline(__always)
    static func make<Downstream: Subscriber>(
      _ value: Downstream.Input,
      of source: SingleValueHeader.Source,
      downstream: Downstream
    ) -> SingleValue {
      typealias Payload = SingleValuePayload<Downstream>
      let flagSize = MemoryLayout<Atomic<Bool>>.size
      let size = flagSize + MemoryLayout<Payload>.size + MemoryLayout<Payload>.alignment - 1
      let buffer = create(minimumCapacity: size) { buffer in
        let start = buffer.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
        start.bindMemory(to: Atomic<Bool>.self, capacity: 1).initialize(to: Atomic(false))
        let payload = (start + flagSize).alignedUp(for: Payload.self)
        payload.bindMemory(to: Payload.self, capacity: 1)
          .initialize(to: SingleValuePayload(value: value, downstream: downstream))
        return SingleValueHeader(
          source: source,
          offset: payload - start,
          act: { Payload.act($1, at: $0.assumingMemoryBound(to: Payload.self)) },
          value: { $0.assumingMemoryBound(to: Payload.self).pointee.value }
        )
      }
      return unsafeDowncast(buffer, to: SingleValue.self)
    }

    deinit {
      act(.destroy)
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      demand.assertNonZero(publisherName)
      act(.deliver)
    }

    @inlinable
    func cancel() {
      act(.cancel)
    }

    // Through pointers, which spares the check for overlapping accesses: the header never changes. In front of the
    // payload is the flag that the first request or cancel sets, which alone may use the downstream from then on.
    @inlinable
    @inline(__always)
    func act(_ act: SingleValueHeader.Act) {
      withUnsafeMutablePointers { header, elements in
        let start = UnsafeMutableRawPointer(elements)
        if act != .destroy {
          let isDone = start.assumingMemoryBound(to: Atomic<Bool>.self)
          guard !isDone.pointee.exchange(true, ordering: .acquiringAndReleasing) else { return }
        }
        header.pointee.act(start + header.pointee.offset, act)
      }
    }

    /// The publisher as a message names it.
    @usableFromInline
    var publisherName: String {
      switch header.source {
      case .just: "Just"
      case .optional: "Optional.Publisher"
      case .result: "Result.Publisher"
      }
    }
  }
}

/// What a ``Conduits/SingleValue`` knows of itself, and what it can do to its payload.
@usableFromInline
struct SingleValueHeader {

  /// Whose subscription it is.
  @usableFromInline
  enum Source: UInt8 {
    case just, optional, result
  }

  @usableFromInline
  enum Act {

    /// Sends the value and `.finished` to the downstream, and lets it go. This or ``cancel``, once.
    case deliver

    /// Lets the downstream go.
    case cancel

    /// Destroys the payload, with the subscription.
    case destroy
  }

  @usableFromInline
  let source: Source

  /// How far the payload is from the first byte behind the header.
  @usableFromInline
  let offset: Int

  /// Does something to a payload. Made, and so specialised, where its type is known.
  @usableFromInline
  let act: (UnsafeMutableRawPointer, Act) -> Void

  /// Reads the value of a payload.
  @usableFromInline
  let value: (UnsafeMutableRawPointer) -> Any

  @inlinable
  init(
    source: Source,
    offset: Int,
    act: @escaping (UnsafeMutableRawPointer, Act) -> Void,
    value: @escaping (UnsafeMutableRawPointer) -> Any
  ) {
    self.source = source
    self.offset = offset
    self.act = act
    self.value = value
  }
}

/// A value and who is to get it.
@usableFromInline
struct SingleValuePayload<Downstream: Subscriber> {

  @usableFromInline
  let value: Downstream.Input

  @usableFromInline
  var downstream: Downstream?

  @inlinable
  init(value: Downstream.Input, downstream: Downstream) {
    self.value = value
    self.downstream = downstream
  }

  @inlinable
  static func act(_ act: SingleValueHeader.Act, at payload: UnsafeMutablePointer<Self>) {
    switch act {
    case .deliver:
      guard let downstream = exchange(&payload.pointee.downstream, with: nil) else { return }
      _ = downstream.receive(payload.pointee.value)
      downstream.receive(completion: .finished)
    case .cancel:
      _ = exchange(&payload.pointee.downstream, with: nil)
    case .destroy:
      payload.deinitialize(count: 1)
    }
  }
}

extension Conduits.SingleValue: DescribedByName {

  @usableFromInline
  var description: String {
    switch header.source {
    case .just: "Just"
    case .optional: "Optional"
    case .result: "Once"
    }
  }

  @usableFromInline
  var customMirror: Mirror {
    Mirror(
      self,
      unlabeledChildren: [
        withUnsafeMutablePointers { $0.pointee.value(UnsafeMutableRawPointer($1) + $0.pointee.offset) }
      ],
      ancestorRepresentation: .suppressed
    )
  }
}
