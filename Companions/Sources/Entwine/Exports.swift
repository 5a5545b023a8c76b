@_exported import CombineFoundation
@_exported import enum CombineTesting.Signal
