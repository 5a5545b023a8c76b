@_exported import CombineFoundation
