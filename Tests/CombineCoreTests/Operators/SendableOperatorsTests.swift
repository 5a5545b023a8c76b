import CombineCore
import Testing

/// Operators that hold no closure are sendable if their parts are.
@Suite struct SendableOperatorsTests {

  private typealias J = Just<Int>
  private typealias S = ImmediateScheduler

  private struct Coder: TopLevelEncoder, TopLevelDecoder, Sendable {
    func encode<T: Encodable>(_ value: T) throws -> Int { 0 }
    func decode<T: Decodable>(_ type: T.Type, from: Int) throws -> T { throw CancellationError() }
  }

  /// Does not compile for a type that is not sendable.
  private func check<P: Publisher & Sendable>(_ type: P.Type) -> Bool { true }

  @Test func operatorsWithoutAClosureAreSendable() {
    #expect(check(Publishers.SetFailureType<J, any Error>.self))
    #expect(check(Publishers.IgnoreOutput<J>.self))
    #expect(check(Publishers.ReplaceEmpty<J>.self))
    #expect(check(Publishers.ReplaceError<J>.self))
    #expect(check(Publishers.AssertNoFailure<J>.self))
    #expect(check(Publishers.Retry<J>.self))
    #expect(check(Publishers.Encode<J, Coder>.self))
    #expect(check(Publishers.Decode<J, Int, Coder>.self))
    #expect(check(Publishers.Merge<J, J>.self))
    #expect(check(Publishers.Merge3<J, J, J>.self))
    #expect(check(Publishers.Merge4<J, J, J, J>.self))
    #expect(check(Publishers.Merge5<J, J, J, J, J>.self))
    #expect(check(Publishers.Merge6<J, J, J, J, J, J>.self))
    #expect(check(Publishers.Merge7<J, J, J, J, J, J, J>.self))
    #expect(check(Publishers.Merge8<J, J, J, J, J, J, J, J>.self))
    #expect(check(Publishers.MergeMany<J>.self))
    #expect(check(Publishers.CombineLatest<J, J>.self))
    #expect(check(Publishers.CombineLatest3<J, J, J>.self))
    #expect(check(Publishers.CombineLatest4<J, J, J, J>.self))
    #expect(check(Publishers.Zip<J, J>.self))
    #expect(check(Publishers.Zip3<J, J, J>.self))
    #expect(check(Publishers.Zip4<J, J, J, J>.self))
    #expect(check(Publishers.SwitchToLatest<J, Just<J>>.self))
    #expect(check(Publishers.Debounce<J, S>.self))
    #expect(check(Publishers.Throttle<J, S>.self))
    #expect(check(Publishers.Delay<J, S>.self))
    #expect(check(Publishers.ReceiveOn<J, S>.self))
    #expect(check(Publishers.SubscribeOn<J, S>.self))
    #expect(check(Publishers.Share<J>.self))
    #expect(check(Publishers.MakeConnectable<J>.self))
  }
}
