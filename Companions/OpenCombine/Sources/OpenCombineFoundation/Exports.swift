@_exported import CombineNetworking
@_exported import OpenCombine
