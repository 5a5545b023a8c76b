#ifndef THERMOMETER_HPP
#define THERMOMETER_HPP

#include <vector>

namespace weather {

/// A class that C cannot declare.
class Thermometer {
public:
  explicit Thermometer(int first) : next(first) {}

  int read();
  std::vector<int> readings(int count);

private:
  int next;
};

} // namespace weather

#endif
