@_exported import NIOPosix
