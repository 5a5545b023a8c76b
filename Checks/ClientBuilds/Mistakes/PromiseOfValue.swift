// A promise that is kept with a value instead of a result.

import Combine

func answer() -> Future<Int, Never> {
  Future { promise in promise(42) }
}

// says 6:31: error: cannot convert value of type 'Int' to expected argument type 'Result<Int, Never>'
