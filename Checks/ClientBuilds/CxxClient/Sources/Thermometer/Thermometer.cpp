#include "Thermometer.hpp"

namespace weather {

int Thermometer::read() { return next++; }

std::vector<int> Thermometer::readings(int count) {
  std::vector<int> all;
  for (int index = 0; index < count; ++index) all.push_back(read());
  return all;
}

} // namespace weather
