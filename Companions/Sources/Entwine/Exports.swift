@_exported import CombineTesting
