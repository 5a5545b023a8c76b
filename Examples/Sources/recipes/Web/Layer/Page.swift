import Combine
import Foundation

/// One open tab, whose elements show the values of publishers and whose user changes models.
///
/// Elements are identified by the `id`s in the page's HTML. All code here runs on the main queue, as in any app. When
/// the tab is closed, ``close()`` cancels all of its subscriptions.
@MainActor
final class Page {

  /// The named points in the pipelines of this page, whose events it draws.
  let stages: Stages

  private let send: (PageMessage) -> Void

  /// The value that each property of an element shows. No value is sent twice, and a user's input is not sent back.
  private var shown: [String: PageValue] = [:]

  private var actions: [String: (PageValue?) -> Void] = [:]

  private var subscriptions: Set<AnyCancellable> = []

  init(stages: Stages, send: @escaping (PageMessage) -> Void) {
    self.stages = stages
    self.send = send
  }

  /// Handles an event of the user on an element. It ignores events without a model, or with an unsuitable value.
  func receive(_ event: PageEvent) {
    actions[event.element]?(event.value)
  }

  func close() {
    actions = [:]
    subscriptions = []
  }

  // MARK: What is shown

  /// Performs an action with each value. The values must arrive on the main queue, as those of `values(of:)` do.
  ///
  /// The action runs without another turn of the queue. With one, a text field would receive its previous text after
  /// newer input.
  func onReceive<Value>(_ publisher: some Publisher<Value, Never>, perform action: @escaping (Value) -> Void) {
    publisher.sink(receiveValue: action).store(in: &subscriptions)
  }

  func text(_ element: String, _ text: some Publisher<String, Never>) {
    show(text.map(PageValue.text), as: "textContent", of: element)
  }

  /// Shows an image, or none.
  func image(_ element: String, _ svg: some Publisher<Data?, Never>) {
    visible(element, svg.map { $0 != nil })
    show(
      svg.map { .text($0.map { "data:image/svg+xml;base64,\($0.base64EncodedString())" } ?? "") },
      as: "src",
      of: element
    )
  }

  func visible(_ element: String, _ isVisible: some Publisher<Bool, Never>) {
    show(isVisible.map { .flag(!$0) }, as: "hidden", of: element)
  }

  func enabled(_ element: String, _ isEnabled: some Publisher<Bool, Never>) {
    show(isEnabled.map { .flag(!$0) }, as: "disabled", of: element)
  }

  /// Shows whether a button that can stay pressed is pressed.
  func pressed(_ element: String, _ isPressed: some Publisher<Bool, Never>) {
    show(isPressed.map { .text($0 ? "true" : "false") }, as: "ariaPressed", of: element)
  }

  /// Gives the page's own script what it draws, in JSON: `dataset.state`.
  func drawing(_ element: String, _ values: some Publisher<some Encodable, Never>) {
    state(element, values.compactMap { try? JSONEncoder().encode($0) }.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Sets the state by which the style sheet selects the appearance: `[data-state=…]`.
  func state(_ element: String, _ state: some Publisher<String, Never>) {
    show(state.map(PageValue.text), as: "dataset.state", of: element)
  }

  /// Rotates an element clockwise, in degrees.
  func turned(_ element: String, _ degrees: some Publisher<Double, Never>) {
    show(degrees.map { .text("\($0)deg") }, as: "style.rotate", of: element)
  }

  /// Shows values in a property of an element. The property is a path in its DOM object.
  private func show(_ values: some Publisher<PageValue, Never>, as property: String, of element: String) {
    onReceive(values) { [weak self] in self?.show($0, as: property, of: element) }
  }

  private func show(_ value: PageValue, as property: String, of element: String) {
    let name = "\(element).\(property)"
    guard shown[name] != value else { return }
    shown[name] = value
    send(.set(element: element, property: property, value: value))
  }

  // MARK: What the user does

  func button(_ element: String, perform action: @escaping () -> Void) {
    actions[element] = { _ in action() }
  }

  /// Binds a text field or a check box to a property of a model, in both directions.
  ///
  /// Initially a text field is empty and a check box is off. Otherwise the browser sends the value when it connects.
  func input<Model: ObservableObject, Value: PageInput>(
    _ element: String,
    _ model: Model,
    _ property: ReferenceWritableKeyPath<Model, Value>
  ) {
    shown["\(element).\(Value.property)"] = Value.initial.pageValue
    show(model.values(of: property).map(\.pageValue), as: Value.property, of: element)
    actions[element] = { [weak self] pageValue in
      guard let pageValue, let value = Value(pageValue) else { return }
      self?.shown["\(element).\(Value.property)"] = pageValue
      model[keyPath: property] = value
    }
  }
}
