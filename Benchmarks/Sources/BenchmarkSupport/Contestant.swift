/// Does each workload in its own way, with the same outcome.
///
/// Every method does its workload from beginning to end: subscribes, handles `count` elements, a multiple of ten, takes
/// what comes out into `checksum`, and lets go.
public protocol Contestant {

  static func sequenceMapFilterSink(_ count: Int, _ checksum: Checksum)
  static func tenMaps(_ count: Int, _ checksum: Checksum)
  static func oneByOne(_ count: Int, _ checksum: Checksum)
  static func subjectMapSink(_ count: Int, _ checksum: Checksum)
  static func tenSubscribers(_ count: Int, _ checksum: Checksum)
  static func flatMap(_ count: Int, _ checksum: Checksum)
  static func zip(_ count: Int, _ checksum: Checksum)
  static func subscribeAndCancel(_ count: Int, _ checksum: Checksum)
}

extension Contestant {

  /// Does one workload.
  public static func run(_ workload: Workload, count: Int, checksum: Checksum) {
    switch workload {
    case .sequenceMapFilterSink: sequenceMapFilterSink(count, checksum)
    case .tenMaps: tenMaps(count, checksum)
    case .oneByOne: oneByOne(count, checksum)
    case .subjectMapSink: subjectMapSink(count, checksum)
    case .tenSubscribers: tenSubscribers(count, checksum)
    case .flatMap: flatMap(count, checksum)
    case .zip: zip(count, checksum)
    case .subscribeAndCancel: subscribeAndCancel(count, checksum)
    }
  }
}
