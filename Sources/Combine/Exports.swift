@_exported import CombineNetworking
