import Testing

@testable import DivanTransport

/// Which directions of a stream are open, without any socket.
@Suite struct StreamLifecycleTests {
    private func life(after events: [StreamLifecycle.Event]) -> StreamLifecycle {
        var life = StreamLifecycle.opening
        for event in events { _ = life.handle(event) }
        return life
    }

    @Test func `our end closes after queued data, and the end of the peer releases the stream`() {
        var life = life(after: [.opened, .finishAsked])
        #expect(life.isWriting && life.isReading && !life.isOpen)
        #expect(life.handle(.written) == [.endSending])
        #expect(!life.isWriting && life.isReading)
        #expect(life.handle(.peerEnded) == [.release])
        #expect(life == .closed)
    }

    @Test func `a peer that ended first still gets queued data`() {
        var life = life(after: [.opened, .peerEnded])
        #expect(life.isOpen && life.isWriting && !life.isReading)
        _ = life.handle(.finishAsked)
        #expect(life.handle(.written) == [.release])
    }

    @Test func `data that a peer sent before it disconnected is read although writing fails`() {
        var life = life(after: [.opened, .writingFailed])
        #expect(life.isReading && !life.isWriting && !life.isOpen)
        #expect(life.handle(.peerEnded).isEmpty && life == .ended(wasOpen: true))
        var early = self.life(after: [.writingFailed])
        #expect(early.awaitsOpening)
        _ = early.handle(.opened)
        #expect(!early.awaitsOpening && early.isReading && !early.isWriting)
        #expect(early.handle(.finishAsked) == [.release])
    }

    @Test func `writing is not possible before the TLS handshake or during a new one`() {
        #expect(!life(after: [.peerEnded]).isOpen)
        #expect(!life(after: [.opened, .tlsStarted]).isOpen)
        #expect(!life(after: [.opened, .peerEnded, .tlsStarted]).isOpen)
        #expect(life(after: [.opened, .tlsStarted, .opened]).isOpen)
    }

    @Test(
        arguments: [
            [], [.opened], [.peerEnded], [.finishAsked], [.finishAsked, .peerEnded],
            [.finishAsked, .written], [.writingFailed], [.opened, .writingFailed],
        ] as [[StreamLifecycle.Event]]
    )
    func `closing is possible in every state, and releases once`(events: [StreamLifecycle.Event]) {
        var life = life(after: events)
        #expect(life.handle(.closeAsked) == [.release])
        #expect(life.handle(.closeAsked).isEmpty && life == .closed)
        #expect(life.handle(.peerEnded).isEmpty && life == .closed)
    }
}
