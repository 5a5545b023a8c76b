@_exported import CombineCore
