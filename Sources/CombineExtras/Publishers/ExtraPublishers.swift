import CombineCore

/// A namespace for the publishers that this package adds to Combine, as `Publishers` is for Combine's own.
///
/// Most of them are made by a method of `Publisher`, so their names are seldom written.
public enum ExtraPublishers {}

/// Names of types in ``ExtraPublishers`` that clients know from `Publishers`. As members of a protocol they yield to a
/// client's own types of these names in an extension of `Publishers`, which would be ambiguous otherwise.
public protocol _ExtraPublisherNames {}

extension _ExtraPublisherNames {

  /// The name that other libraries have for `ExtraPublishers.Create`.
  public typealias Create = ExtraPublishers.Create
}

extension Publishers: _ExtraPublisherNames {}
