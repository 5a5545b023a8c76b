extension Operator {

  /// Returns the settings with which the publisher's code is a text, as pictures show it; `nil` if there are none.
  func settings(for text: String) -> Settings? {
    var settings = initialSettings
    var found: [String: Int] = [:]
    var template = OperatorTest.named(code).code[...]
    var rest = text[...]
    while let next = template.first {
      if let parameter = parameters.first(where: { template.hasPrefix("{\($0.name)}") }) {
        guard let (value, length) = parameter.value(atStartOf: rest) else { return nil }
        if let other = found.updateValue(value, forKey: parameter.name), other != value { return nil }
        settings.values[parameter.name] = value
        template = template.dropFirst(parameter.name.count + 2)
        rest = rest.dropFirst(length)
      } else {
        guard next == rest.first else { return nil }
        template = template.dropFirst()
        rest = rest.dropFirst()
      }
    }
    return rest.isEmpty ? settings : nil
  }

  /// Returns the case of a picture of the documentation: the operator, or the publisher of that picture, and the settings with
  /// which its code is a text; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - id: The operator's name in links.
  ///   - text: The code as the picture shows it.
  static func ofPicture(_ id: String, showing text: String) -> (operation: Operator, settings: Settings)? {
    for operation in [all["\(id)-picture"], all[id]].compactMap({ $0 }) {
      if let shown = shownInPicture[operation.id] {
        if shown == text { return (operation, operation.initialSettings) }
      } else if let settings = operation.settings(for: text) {
        return (operation, settings)
      }
    }
    return nil
  }

  /// The case as the page's script reads it: the operator's name in links, and the settings by the names of parameters and options.
  func json(of settings: Settings) -> JSON {
    .object(
      [("op", .text(id))]
        + parameters.map { parameter in
          let value = settings.values[parameter.name]!
          if case .choice(let options) = parameter.kind { return (parameter.name, .text(options[value].name)) }
          return (parameter.name, .text("\(value)"))
        }
    )
  }
}

extension Operator.Parameter {

  /// The value that stands at the start of a part of a publisher's code, and the number of its characters.
  fileprivate func value(atStartOf code: Substring) -> (value: Int, length: Int)? {
    if case .choice(let options) = kind {
      let fitting = options.indices.filter { code.hasPrefix(options[$0].code) }
      return fitting.max { options[$0].code.count < options[$1].code.count }.map { ($0, options[$0].code.count) }
    }
    let digits = code.prefix { $0.isWholeNumber }
    return Int(digits).flatMap { range.contains($0) ? ($0, digits.count) : nil }
  }
}
