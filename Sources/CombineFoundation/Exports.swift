@_exported import CombineDispatch
