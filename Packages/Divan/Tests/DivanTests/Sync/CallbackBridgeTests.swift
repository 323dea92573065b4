import Testing

@testable import Divan

/// Code of the application that a thread of the engine waits for.
@Suite struct CallbackBridgeTests {
    /// Waits on a thread that may block, as those of the engine may.
    private func wait<Output: Sendable>(
        at most: Duration? = CallbackBridge.limit,
        _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        try await Background.always {
            try CallbackBridge().wait(at: most, place: "filter", body)
        }
    }

    @Test func `code that takes too long is cancelled, and the error names its place`() async {
        let (never, unused) = AsyncStream.makeStream(of: Void.self)
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        let error = await #expect(throws: DivanError.self) {
            try await wait(at: .milliseconds(1)) {
                // Ends when the task is cancelled.
                for await _ in never {}
                cancel.yield()
            }
        }
        #expect(error?.code == .timeout)
        #expect(error?.place == "filter")
        for await _ in cancelled { break }
        unused.finish()
    }

    @Test func `code that answers in time, or has no limit, passes its result on`() async throws {
        struct Refused: Error {}
        #expect(try await wait { 7 } == 7)
        #expect(try await wait(at: nil) { 8 } == 8)
        await #expect(throws: Refused.self) { try await wait { throw Refused() } }
    }
}
