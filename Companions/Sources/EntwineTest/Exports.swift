@_exported import CombineFoundation
// Not all of `CombineTesting`, whose clock has other ticks.
@_exported import struct CombineTesting.DemandLedger
@_exported import enum CombineExtras.Signal
