/// Calls a closure with the value of each property that an object stores, in its class and all superclasses.
///
/// A mirror shows them, unless the object has a mirror of its own making, which may show anything. Then the functions
/// of the runtime are asked that mirrors are made with.
func forEachStoredProperty(of object: AnyObject, _ body: (Any) -> Void) {
  guard object is any CustomReflectable else {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
      for child in current.children { body(child.value) }
      mirror = current.superclassMirror
    }
    return
  }
  var type: AnyClass? = Swift.type(of: object)
  while let current = type {
    for index in 0..<childCount(of: object, as: current) {
      var name: UnsafePointer<CChar>?
      var free: FreeName?
      body(child(of: object, as: current, at: index, &name, &free))
      free?(name)
    }
    type = _getSuperclass(current)
  }
}

private typealias FreeName = @convention(c) (UnsafePointer<CChar>?) -> Void

@_silgen_name("swift_reflectionMirror_count")
private func childCount<T>(of value: T, as type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_subscript")
private func child<T>(
  of value: T,
  as type: Any.Type,
  at index: Int,
  _ name: UnsafeMutablePointer<UnsafePointer<CChar>?>,
  _ free: UnsafeMutablePointer<FreeName?>
) -> Any
