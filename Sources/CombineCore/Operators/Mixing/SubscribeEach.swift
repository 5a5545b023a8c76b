// Zip and combineLatest of any number of upstreams. The publishers are in `CombineExtras`.
//
// The upstreams are erased: a pack of publishers with one type of errors cannot be written in Swift 6.3 ("same-element
// requirements are not yet supported").

extension Conduits {

  /// Subscribes a new zip to each of some upstreams, in order. Without any, the subscriber receives a finish.
  @inlinable
  package static func zipEach<S: Subscriber, each Element>(
    _ upstream: repeat AnyPublisher<each Element, S.Failure>,
    to subscriber: S
  ) where S.Input == (repeat each Element) {
    let conduit = Zip<SlotPack<repeat SlotBox<Deque<each Element>>>, S>(downstream: subscriber)
    let boxes = conduit.values.boxes
    var index = 0
    repeat attach(conduit, to: each upstream, at: &index, in: each boxes)
    if index == 0 { Empty().receive(subscriber: subscriber) }
  }

  /// Subscribes a new combine-latest to each of some upstreams, in order. Without any, the subscriber receives a finish.
  @inlinable
  package static func combineLatestEach<S: Subscriber, each Element>(
    _ upstream: repeat AnyPublisher<each Element, S.Failure>,
    to subscriber: S
  ) where S.Input == (repeat each Element) {
    let conduit = CombineLatest<SlotPack<repeat SlotBox<LatestValue<each Element>>>, S>(downstream: subscriber)
    let boxes = conduit.values.boxes
    var index = 0
    repeat attach(conduit, to: each upstream, at: &index, in: each boxes)
    if index == 0 {
      Empty().receive(subscriber: subscriber)
    } else {
      conduit.announce()
    }
  }

  /// Subscribes a new zip to each of some upstreams of one type. There must be one.
  @inlinable
  package static func zipAll<Upstream: Publisher, S: Subscriber>(
    _ upstreams: [Upstream],
    to subscriber: S
  ) where S.Input == [Upstream.Output], S.Failure == Upstream.Failure {
    let values = SlotArray<Deque<Upstream.Output>>(width: upstreams.count)
    let conduit = Zip(downstream: subscriber, values: values)
    attach(conduit, to: upstreams, in: values.boxes)
  }

  /// Subscribes a new combine-latest to each of some upstreams of one type. There must be one.
  @inlinable
  package static func combineLatestAll<Upstream: Publisher, S: Subscriber>(
    _ upstreams: [Upstream],
    to subscriber: S
  ) where S.Input == [Upstream.Output], S.Failure == Upstream.Failure {
    let values = SlotArray<LatestValue<Upstream.Output>>(width: upstreams.count)
    let conduit = CombineLatest(downstream: subscriber, values: values)
    attach(conduit, to: upstreams, in: values.boxes)
    conduit.announce()
  }

  /// Subscribes an operator to its upstreams, in order.
  @inlinable
  static func attach<Parent: PackParent, Upstream: Publisher, Box: BoxedSlot>(
    _ conduit: Parent,
    to upstreams: [Upstream],
    in boxes: [Box]
  ) where Upstream.Output == Box.Value, Upstream.Failure == Parent.ConstituentFailure {
    var index = 0
    for (upstream, box) in Swift.zip(upstreams, boxes) { attach(conduit, to: upstream, at: &index, in: box) }
  }

  /// Subscribes an operator to the next of its upstreams, whose values go into a box.
  @inlinable
  static func attach<Parent: PackParent, Upstream: Publisher, Box: BoxedSlot>(
    _ conduit: Parent,
    to upstream: Upstream,
    at index: inout Int,
    in box: Box
  ) where Upstream.Output == Box.Value, Upstream.Failure == Parent.ConstituentFailure {
    upstream.subscribeConduit(SlotConstituent(of: conduit, index: index) { $0.put($1, into: box) })
    index += 1
  }
}

/// An operator whose slots are a pack.
@usableFromInline
protocol PackParent: SlotsParent {

  /// Puts a value into a slot. Only with the operator's lock held.
  ///
  /// - Returns: The value that it replaces.
  func put<Box: BoxedSlot>(_ value: Box.Value, into box: Box) -> Box.Value?
}

extension Conduits.Zip: PackParent where Values: PackedSlots {

  @inlinable
  func put<Box: BoxedSlot>(_ value: Box.Value, into box: Box) -> Box.Value? { values.put(value, into: box) }
}

extension Conduits.CombineLatest: PackParent where Values: PackedSlots {

  @inlinable
  func put<Box: BoxedSlot>(_ value: Box.Value, into box: Box) -> Box.Value? { values.put(value, into: box) }
}
