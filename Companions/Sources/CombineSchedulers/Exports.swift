@_exported import CombineExtras
@_exported import CombineTesting
