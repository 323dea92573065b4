import DivanTestKit
import DivanWebSocket
import Testing

/// Text is validated as it arrives; how it was split only changes when a violation is noticed.
@Suite struct TextPreviewTests {
    @Test func `closes at the first invalid byte, before the frame is complete`() throws {
        var server = connection(.server, acceptsText: true)
        let sound = Array("κόσμε".utf8)
        let bytes = frame(.text, sound + [0xF4, 0x90, 0x80, 0x80] + Array("ed".utf8))
        let impossible = 6 + sound.count + 1  // behind the header; 0xF4 alone may still become one
        for index in 0..<impossible {
            #expect(try server.events(of: [bytes[index]]).isEmpty)
        }
        let error = #expect(throws: FrameError.self) {
            try server.events(of: [bytes[impossible]])
        }
        #expect(error?.reason == .encoding(.text))
        #expect(server.takeOutput() == frame(.close, [0x03, 0xEF], by: .server))
    }

    /// Valid and damaged text in up to three frames, with pings between them.
    @Test(arguments: UInt64(0)..<300)
    func `gives the same result however the bytes are split`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let scalars = ["a", "ß", "€", "😀", "κόσμε"]
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 1...30, using: &generator) {
            text += Array((scalars.randomElement(using: &generator) ?? "").utf8)
        }
        if Bool.random(using: &generator) {
            let place = Int.random(in: text.indices, using: &generator)
            text[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        let cut = Int.random(in: 0...text.count, using: &generator)
        let bytes =
            frame(.text, Array(text[..<cut]), isFinal: false) + frame(.ping)
            + frame(.continuation, Array(text[cut...])) + frame(.text, text)
            + frame(.binary, [0xFF])

        let limits = WebSocketLimits(messageByteCount: Bool.random(using: &generator) ? 40 : 4096)
        let whole = Outcome([bytes[...]], limits)
        #expect(Outcome(bytes.pieces(longest: 5, using: &generator), limits) == whole)
        #expect(Outcome(bytes.indices.map { bytes[$0...$0] }, limits) == whole)
    }
}

/// A server's result for a stream.
private struct Outcome: Equatable {
    var events: [WebSocketConnection.Event] = []
    var error: FrameError?

    init(_ pieces: [ArraySlice<UInt8>], _ limits: WebSocketLimits) {
        var server = connection(.server, limits: limits, acceptsText: true)
        do throws(FrameError) {
            for piece in pieces {
                server.receive(piece.span, at: .zero)
                while let event = try server.next() { events.append(event) }
            }
        } catch {
            self.error = error
        }
    }
}
