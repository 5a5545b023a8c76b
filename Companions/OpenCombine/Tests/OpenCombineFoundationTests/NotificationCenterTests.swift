import Foundation
import OpenCombineFoundation
import Testing

@Suite struct NotificationCenterTests {

  private let center = NotificationCenter()
  private let name = Notification.Name("saved")

  @Test func publishesTheNotificationsOfAName() {
    var infos: [String] = []
    let sink = center.ocombine.publisher(for: name).sink { infos.append($0.userInfo?["text"] as? String ?? "none") }
    center.post(name: name, object: nil, userInfo: ["text": "a"])
    center.post(name: Notification.Name("other"), object: nil, userInfo: ["text": "b"])
    #expect(infos == ["a"])
    sink.cancel()
    center.post(name: name, object: nil, userInfo: ["text": "c"])
    #expect(infos == ["a"])
  }

  @Test func publishesTheNotificationsOfAnObject() {
    let object = NSObject()
    var count = 0
    let sink = center.ocombine.publisher(for: name, object: object).sink { _ in count += 1 }
    center.post(name: name, object: object)
    center.post(name: name, object: NSObject())
    #expect(count == 1)
    sink.cancel()
  }

  @Test func thePublisherIsTheOneOfTheCenterItself() {
    let publisher: NotificationCenter.OCombine.Publisher = center.publisher(for: name)
    #expect(publisher == NotificationCenter.OCombine(center).publisher(for: name))
    #expect(publisher != NotificationCenter.default.ocombine.publisher(for: name))
  }
}
