// These functions return their argument, but hide its content from the compiler. There is one for each type of closure.
// A generic function would wrap a closure in another one, which is no longer plain.

@inline(never)
@_optimize(none)
func opaque<Object: AnyObject>(_ object: Object) -> Object { object }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int) -> Int) -> (Int) -> Int { closure }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int) -> Bool) -> (Int) -> Bool { closure }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int) -> Void) -> (Int) -> Void { closure }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int, Int) -> Void) -> (Int, Int) -> Void { closure }

@inline(never)
@_optimize(none)
func opaque(
  _ closure: @escaping (Int) -> CollectionOfOne<Int>
) -> (Int) -> CollectionOfOne<Int> { closure }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int, Int) -> Int) -> (Int, Int) -> Int { closure }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int, Int) -> Bool) -> (Int, Int) -> Bool { closure }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int) -> Int?) -> (Int) -> Int? { closure }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int) -> Range<Int>) -> (Int) -> Range<Int> { closure }

@inline(never)
@_optimize(none)
func opaque(_ closure: @escaping (Int) throws -> Int) -> (Int) throws -> Int { closure }
