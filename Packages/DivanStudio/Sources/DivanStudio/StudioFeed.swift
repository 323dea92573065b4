import DivanHTTP
import DivanJSON
import DivanREST
import DivanRevisions
import DivanStore
import DivanTransport
import Synchronization

/// The changes of all collections from now on, as an event stream.
final class StudioFeed: HTTPBodySource {
    private struct State {
        var sequences: [CollectionPath: UInt64] = [:]
        var ticket: ChangeBell.Ticket?
        var isCancelled = false
        var hasBegun = false
    }

    /// Changes told in one piece.
    private static let pageCount = 200

    private let store: Store
    private let name: String
    private let bell: ChangeBell
    private let queue: WorkQueue
    private let heartbeat: Duration
    private let state: Mutex<State>

    /// Begins with the changes behind what is there now; `name` is the database's.
    init(
        _ store: Store,
        named name: String,
        bell: ChangeBell,
        queue: WorkQueue,
        heartbeat: Duration
    ) throws {
        self.store = store
        self.name = name
        self.bell = bell
        self.queue = queue
        self.heartbeat = heartbeat
        var state = State()
        state.sequences = try store.read { try $0.lastSequences() }
        self.state = Mutex(state)
    }

    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        // At once, so that the page knows that it hears.
        guard !isFirst else { return answer(.bytes(greeting)) }
        wait(until: bell.clock.now + heartbeat, answer)
    }

    private var greeting: [UInt8] {
        let text: JSON = ["name": .string(name)]
        return HTTPEvent(name: "hello", data: (try? text.canonicalBytes()) ?? []).bytes
    }

    func cancel() {
        let ticket = state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
        if let ticket { bell.cancel(ticket) }
    }

    /// A change as the page gets it.
    static func json(_ change: ChangeRow, _ path: CollectionPath) -> JSON {
        [
            "collection": .string("\(path)"), "id": .string(change.documentID.text),
            "rev": .string("\(change.revisionID)"), "sequence": JSON(change.sequence),
            "deleted": .bool(change.flags.contains(.tombstone)),
            "conflict": .bool(change.flags.contains(.conflicted)),
        ]
    }

    private func wait(
        until deadline: Duration,
        _ answer: @escaping @Sendable (HTTPBodyPiece) -> Void
    ) {
        queue.async { [self] in
            guard !state.withLock({ $0.isCancelled }) else { return }
            let stroke = bell.stroke
            do {
                let events = try read()
                guard events.isEmpty else { return answer(.bytes(events)) }
            } catch {
                return answer(.failed)
            }
            guard bell.clock.now < deadline else { return answer(.bytes(HTTPEvent.heartbeat)) }
            let ticket = bell.wait(behind: stroke, until: deadline) { [self] in
                wait(until: deadline, answer)
            }
            let isCancelled = state.withLock { state in
                state.ticket = ticket
                return state.isCancelled
            }
            if isCancelled { bell.cancel(ticket) }
        }
    }

    private func read() throws -> [UInt8] {
        var sequences = state.withLock { $0.sequences }
        var events: [UInt8] = []
        try store.read { reader in
            for path in try reader.collections() {
                let last = sequences[path] ?? 0
                let page = try reader.changes(in: path, after: last, limit: Self.pageCount)
                for change in page {
                    let data = try Self.json(change, path).canonicalBytes()
                    events += HTTPEvent(name: "change", data: data).bytes
                }
                sequences[path] = page.last?.sequence ?? last
            }
        }
        state.withLock { $0.sequences = sequences }
        return events
    }
}
