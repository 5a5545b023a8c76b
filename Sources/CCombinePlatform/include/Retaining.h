#ifndef CCOMBINEPLATFORM_RETAINING_H
#define CCOMBINEPLATFORM_RETAINING_H

/// A function of Swift's runtime. It retains an object and returns it, or returns null if its deinitializer has begun. The
/// memory of the object must not be freed yet.
///
/// Weak references are made of it. They also give the object a side table, which makes each retain of it slow: hundreds of
/// nanoseconds if two threads retain it in turn.
void *swift_tryRetain(void *object);

#endif
