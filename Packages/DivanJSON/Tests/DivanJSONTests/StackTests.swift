import DivanJSON
import Foundation
import Testing

@Suite struct StackTests {
    /// Peers determine the depth, so the deepest allowed value must fit in the stack of any thread.
    @Test func `the deepest allowed value fits on a stack of 512 KiB`() async throws {
        let isSound = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Self.roundTrip()) }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(isSound)
    }

    private static func roundTrip() -> Bool {
        let depth = JSONLimits.default.depth
        let text = Array(
            (String(repeating: #"{"a":["#, count: depth / 2)
                + String(repeating: "]}", count: depth / 2)).utf8
        )
        guard let summary = try? JSONScanner.validate(text.span), summary.isCanonical,
            let value = try? JSON(parsing: text), let written = try? value.canonicalBytes()
        else { return false }
        return written == text && value == (try? JSON(parsing: written))
    }
}
