// A published property of a structure.

import Combine

struct Settings {
  @Published var volume = 5
}

// says 6:3: error: 'wrappedValue' is unavailable: @Published is only available on properties of classes
