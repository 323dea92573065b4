import Dispatch
import DivanTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct InProcessPairTests {
    @Test(arguments: [true, false])
    func `delivers messages in order and closes`(isOneLoop: Bool) async {
        let loop = EpollLoop()
        let other = isOneLoop ? loop : EpollLoop()
        let pair = InProcessPair(subprotocol: "A", firstLoop: loop, secondLoop: other)
        let second = Recorder()
        let first = Recorder(onOpen: {
            for number in 0..<100 { pair.first.send([UInt8(number)]) }
        })
        pair.first.start(first)
        pair.second.start(second)
        let events = await second.wait { $0.batchCount == 1 }
        #expect(events.messages == (0..<100).map { [UInt8($0)] })
        #expect(events.peer?.subprotocol == "A")

        await onLoop(pair.second) { pair.second.send([7]) }
        pair.second.close(code: 1001, reason: "bye")
        let end = await first.end()
        #expect(end.messages == [[7]])
        #expect(end.goodbye == "1001 bye true")
        #expect(await second.end().goodbye == "1001 bye false")
        loop.stop()
        if !isOneLoop { other.stop() }
    }

    @Test
    func `is not writable until the other end has read`() async {
        let pair = InProcessPair(subprotocol: nil)
        let (first, second) = (Recorder(), Recorder())
        pair.first.start(first)
        pair.second.start(second)
        await first.wait { $0.peer != nil }
        let sent = await onLoop(pair.first) {
            var count = 0
            while pair.first.isWritable {
                pair.first.send(pattern(10_000))
                count += 1
            }
            return count
        }
        #expect(sent == 27)
        await first.wait { $0.writableCount == 1 }
        #expect(await second.wait { $0.messages.count == sent }.messages.count == sent)
        #expect(await onLoop(pair.first) { pair.first.isWritable })
        pair.first.close(code: 1000, reason: "")
        await second.end()
    }

    @Test
    func `delivers queued batches to a busy end together, up to a limit`() async {
        let (loop, other) = (EpollLoop(), EpollLoop())
        let pair = InProcessPair(subprotocol: nil, firstLoop: loop, secondLoop: other)
        let (first, second) = (Recorder(), Recorder())
        pair.first.start(first)
        pair.second.start(second)
        await first.wait { $0.peer != nil }
        await second.wait { $0.peer != nil }
        let isFree = DispatchSemaphore(value: 0)
        other.execute { isFree.wait() }
        // Each turn sends one batch when it ends.
        for number in 0..<70 { await onLoop(pair.first) { pair.first.send([UInt8(number)]) } }
        await onLoop(pair.first) {}
        isFree.signal()
        await second.wait { $0.messages.count == 70 && $0.batchCount == 3 }
        await onLoop(pair.first) { pair.first.send([70]) }
        let events = await second.wait { $0.batchCount == 4 }
        #expect(events.messages == (0...70).map { [UInt8($0)] })
        pair.first.close(code: 1000, reason: "")
        #expect(await second.end().batchCount == 4)
        loop.stop()
        other.stop()
    }

    @Test
    func `an end that starts late is notified that the connection is closed`() async {
        let pair = InProcessPair(subprotocol: nil)
        let (first, second) = (Recorder(), Recorder())
        pair.first.start(first)
        pair.first.close(code: 1000, reason: "")
        #expect(await first.end().goodbye == "1000  false")
        pair.second.start(second)
        #expect(await second.end().goodbye != nil)
        #expect(second.events.peer == nil)
    }
}
