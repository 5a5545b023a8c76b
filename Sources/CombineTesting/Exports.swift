@_exported import CombineExtras
