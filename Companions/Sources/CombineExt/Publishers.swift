import CombineExtras

extension Publishers {

  public typealias Amb = ExtraPublishers.Amb
  public typealias Create = ExtraPublishers.Create
  public typealias Enumerated = ExtraPublishers.Enumerated
  public typealias RetryWhen = ExtraPublishers.RetryWhen
}
