/// A namespace for the conduits of this module, as `Conduits` is for those of `CombineCore`.
@usableFromInline
enum ExtraConduits {}
