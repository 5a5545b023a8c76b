// An element of another type than the subject's.

import Combine

func send(to numbers: PassthroughSubject<Int, Never>) {
  numbers.send("a")
}

// says 6:16: error: cannot convert value of type 'String' to expected argument type 'Int'
