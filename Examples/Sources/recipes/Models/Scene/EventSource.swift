/// An object whose events can be subscribed to: a ``Scene``, or an ``Entity`` in it.
protocol EventSource: AnyObject {}
