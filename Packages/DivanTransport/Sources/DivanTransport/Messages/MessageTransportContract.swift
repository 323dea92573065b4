import Synchronization

/// The requirements for every message transport, as a check for any test framework.
public enum MessageTransportContract {
    /// Both ends of one connection, each started with the receiver passed for it.
    public typealias Ends = (first: any MessageTransport, second: any MessageTransport)

    /// Returns one sentence for each violated requirement; none if the transport is correct.
    ///
    /// - Parameters:
    ///   - patience: The time to wait for each requirement.
    ///   - turn: Advances loops without a thread, and their virtual time.
    ///   - connect: Creates two connected ends and starts each with its receiver; called several times. It can
    ///     return before they are open.
    /// - Returns: The violated requirements.
    /// - Throws: Errors of `connect`.
    public static func violations(
        patience: Duration = .seconds(10),
        turning turn: (@Sendable () -> Void)? = nil,
        connecting connect: (
            _ first: any MessageReceiver, _ second: any MessageReceiver
        ) async throws -> Ends
    ) async throws -> [String] {
        let wait = ContractTimeout(limit: patience, turn: turn)
        var violations: [String] = []
        for check in [messages, backPressure, goodbye] {
            let (first, second) = (RecordingReceiver(), RecordingReceiver())
            let ends = try await connect(first, second)
            first.watch(ends.first)
            second.watch(ends.second)
            guard await wait.until({ first.events.opens == 1 && second.events.opens == 1 }) else {
                return violations + ["Both ends must open exactly once."]
            }
            violations += await check(ends, (first, second), wait)
            ends.first.close(code: 1000, reason: "")
            _ = await wait.until {
                first.events.closes.count == 1 && second.events.closes.count == 1
            }
            await wait.rest()
            violations += first.faults + second.faults
        }
        return violations.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Records the calls of a receiver.
    private final class RecordingReceiver: MessageReceiver {
        struct ReceivedEvents: Sendable {
            var opens = 0
            var messages: [[UInt8]] = []
            var undrained = 0
            var roomCount = 0
            var closes: [String] = []
            var afterClose = 0
            var elsewhere = 0
        }

        private let state = Mutex<(events: ReceivedEvents, loop: (any EventLoop)?)>(
            (ReceivedEvents(), nil)
        )

        var events: ReceivedEvents { state.withLock { $0.events } }

        func watch(_ transport: any MessageTransport) {
            state.withLock { $0.loop = transport.loop }
        }

        var faults: [String] {
            let events = events
            var faults: [String] = []
            if events.closes.count != 1 {
                faults.append("transportDidClose must be called exactly once.")
            }
            if events.afterClose > 0 {
                faults.append("Nothing must be called after transportDidClose.")
            }
            if events.opens > 1 { faults.append("transportDidOpen must be called only once.") }
            if events.elsewhere > 0 {
                faults.append("The receiver must be called on the transport's loop.")
            }
            return faults
        }

        private func record(_ change: (inout ReceivedEvents) -> Void) {
            state.withLock { state in
                if state.loop?.isCurrent == false { state.events.elsewhere += 1 }
                if !state.events.closes.isEmpty { state.events.afterClose += 1 }
                change(&state.events)
            }
        }

        func transportDidOpen(_ peer: TransportPeer) { record { $0.opens += 1 } }

        func transportDidReceive(_ message: ArraySlice<UInt8>) {
            record { events in
                events.messages.append(Array(message))
                events.undrained += 1
            }
        }

        func transportDidDrainInput() { record { $0.undrained = 0 } }

        func transportDidBecomeWritable() { record { $0.roomCount += 1 } }

        func transportDidClose(_ close: TransportClose) {
            let text =
                switch close {
                case .clean(let code, let reason, let isByPeer): "\(code) \(reason) \(isByPeer)"
                case .failed(let error): "\(error)"
                }
            record { $0.closes.append(text) }
        }
    }

    private static let sizes = [1, 0, 125, 126, 65_535, 3, 65_536, 200_000]

    private static func message(_ size: Int, _ seed: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 >> 3) }
    }

    private static func messages(
        _ ends: Ends,
        _ receivers: (first: RecordingReceiver, second: RecordingReceiver),
        _ wait: ContractTimeout
    ) async -> [String] {
        let there = sizes.map { message($0, 1) }
        let back = sizes.map { message($0, 2) }
        ends.first.loop.execute { for message in there { ends.first.send(message) } }
        ends.second.loop.execute { for message in back { ends.second.send(message) } }
        let count = sizes.count
        let (first, second) = receivers
        let haveArrived = await wait.until {
            first.events.messages.count >= count && second.events.messages.count >= count
        }
        guard haveArrived else { return ["Every message must arrive."] }
        await wait.rest()
        var violations: [String] = []
        if second.events.messages != there || first.events.messages != back {
            violations.append("Messages must arrive intact, in order and exactly once.")
        }
        if first.events.undrained > 0 || second.events.undrained > 0 {
            violations.append("transportDidDrainInput must follow each batch of messages.")
        }
        return violations
    }

    private static func backPressure(
        _ ends: Ends,
        _ receivers: (first: RecordingReceiver, second: RecordingReceiver),
        _ wait: ContractTimeout
    ) async -> [String] {
        let piece = message(16_384, 3)
        let sent = Mutex<(count: Int, isFull: Bool)?>(nil)
        let room = receivers.first.events.roomCount
        ends.first.loop.execute {
            var count = 0
            while count < 4_096, ends.first.isWritable {
                ends.first.send(piece)
                count += 1
            }
            sent.withLock { $0 = (count, !ends.first.isWritable) }
        }
        guard await wait.until({ sent.withLock { $0 != nil } }), let end = sent.withLock({ $0 })
        else { return ["Work on the transport's loop must run."] }
        var violations = end.isFull ? [] : ["isWritable must be false after queuing 64 MiB."]
        if end.count == 0 { violations.append("An open transport must be writable.") }
        let (first, second) = receivers
        if await !wait.until({ second.events.messages.count == end.count }) {
            violations.append("Queued messages must arrive.")
        }
        if end.isFull, await !wait.until({ first.events.roomCount > room }) {
            violations.append("transportDidBecomeWritable must be called when space is free.")
        }
        return violations
    }

    private static func goodbye(
        _ ends: Ends,
        _ receivers: (first: RecordingReceiver, second: RecordingReceiver),
        _ wait: ContractTimeout
    ) async -> [String] {
        let last = message(1_000, 4)
        ends.first.loop.execute {
            ends.first.send(last)
            ends.first.close(code: 4_321, reason: "done")
            ends.first.send([9])
        }
        let (first, second) = receivers
        let haveEnded = await wait.until {
            !first.events.closes.isEmpty && !second.events.closes.isEmpty
        }
        guard haveEnded else { return ["Both ends must be notified of a close."] }
        ends.first.loop.execute { ends.first.send([9]) }
        ends.second.close(code: 1000, reason: "late")
        await wait.rest()
        var violations: [String] = []
        if second.events.messages.first != last {
            violations.append("Messages sent before close must arrive.")
        }
        if second.events.closes.first != "4321 done true"
            || first.events.closes.first != "4321 done false"
        {
            violations.append("Both ends must learn the close code, the reason and who closed.")
        }
        return violations
    }
}
