/// A namespace for conduits: the objects that stand between an upstream and a downstream for one subscription.
///
/// They are not nested in their operator's publisher because a nested type carries the publisher's generic arguments,
/// the whole upstream chain, with it: the types of a long pipeline would then grow with the square of its length, and
/// the optimiser gives up on them.
@usableFromInline
enum Conduits {}
