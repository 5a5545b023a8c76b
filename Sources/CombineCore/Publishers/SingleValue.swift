import Synchronization

extension Conduits {

  /// The subscription to a publisher of one value. It delivers the value and `.finished` at the first request.
  ///
  /// It is one block of memory, and the class has no type parameter. A generic class is destroyed by code that looks up
  /// every type at run time. Its methods are reached by such code too, through the existential that the downstream
  /// holds. The contents lie behind the header, in a payload whose type only ``SingleValueHeader/act`` knows.
  @usableFromInline
  final class SingleValue: ManagedBuffer<SingleValueHeader, UInt8>, Subscription {

    /// Subscribes a downstream to a publisher of one value.
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

    // The access goes through pointers, which avoids the check for overlapping accesses: the header never changes. A
    // flag precedes the payload. The first request or cancellation sets it, and only that call may use the downstream
    // afterwards.
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

    /// The publisher's name in messages.
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

/// The header of a ``Conduits/SingleValue``, with the functions that act on its payload.
@usableFromInline
struct SingleValueHeader {

  /// The publisher that the subscription belongs to.
  @usableFromInline
  enum Source: UInt8 {
    case just, optional, result
  }

  @usableFromInline
  enum Act {

    /// Sends the value and `.finished` to the downstream, and releases the downstream.
    ///
    /// Either this or ``cancel`` occurs, once.
    case deliver

    /// Releases the downstream.
    case cancel

    /// Destroys the payload together with the subscription.
    case destroy
  }

  @usableFromInline
  let source: Source

  /// The distance in bytes from the first byte behind the header to the payload.
  @usableFromInline
  let offset: Int

  /// A function that acts on a payload. It is made, and therefore specialized, where the payload's type is known.
  @usableFromInline
  let act: (UnsafeMutableRawPointer, Act) -> Void

  /// A function that reads the value of a payload.
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

/// A value and the downstream that receives it.
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
