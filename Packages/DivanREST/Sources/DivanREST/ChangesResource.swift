import DivanHTTP
import DivanJSON
import DivanLog
import DivanRevisions
import DivanStore
import DivanTransport
import Synchronization

/// What changed in a collection behind a sequence: as a list, as soon as there is something, or as an
/// event stream.
struct ChangesResource {
    let call: RESTCall
    let collection: CollectionPath

    func answer() throws -> HTTPResponse {
        try call.check(collection)
        guard call.request.method == "GET" else { throw RESTError.method("GET") }
        let page = ChangesPage(
            call: call,
            collection: collection,
            includesDocuments: try call.flag("include_docs")
        )
        let since = try since()
        switch call.request.target["feed"] {
        case nil, "normal": return try list(page, since)
        case "longpoll": return try poll(page, since)
        case "eventsource":
            let headers: HTTPHeaders = [
                "Content-Type": HTTPEvent.contentType, "Cache-Control": "no-cache",
            ]
            let feed = ChangesFeed(page, since: since)
            let body = EventStreamBody(
                call.bell,
                on: call.queue,
                heartbeat: call.limits.heartbeat,
                look: feed.read
            )
            return HTTPResponse(
                status: 200,
                headers: headers,
                body: .pieces(body, byteCount: nil)
            )
        default: throw RESTError.bad("feed is normal, longpoll or eventsource")
        }
    }

    /// A list that comes as soon as there is a change, or without one when the client's patience ends.
    private func poll(_ page: ChangesPage, _ since: UInt64) throws -> HTTPResponse {
        let longest = Int(min(max(call.limits.longestPoll / .milliseconds(1), 1), 86_400_000))
        let timeout: Int = try call.number("timeout", in: 1...longest) ?? min(60_000, longest)
        let deadline = call.bell.clock.now + .milliseconds(timeout)
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"],
            body: .pieces(PollBody(page, since: since, until: deadline), byteCount: nil)
        )
    }

    /// Where to begin: `?since=`, or where a browser was that comes back.
    private func since() throws -> UInt64 {
        if let text = call.request.headers["Last-Event-ID"], let last = UInt64(text) { return last }
        guard call.request.target["since"] != "now" else {
            return try call.store.read { try $0.lastSequence(in: collection) }
        }
        return try call.number("since", in: 0...UInt64.max) ?? 0
    }

    private func list(_ page: ChangesPage, _ since: UInt64) throws -> HTTPResponse {
        let limit: Int = try call.number("limit", in: 1...Int.max) ?? Int.max
        let progress = ListProgress(last: since, rest: limit)
        let list = ListBody("results") { [pageCount = call.limits.pageCount] in
            let (last, rest) = progress.value
            let wanted = min(rest, pageCount)
            let changes = try page.read(after: last, limit: wanted)
            let left = rest - changes.texts.count
            progress.value = (changes.last ?? last, left)
            let isEnd = changes.texts.count < wanted || left == 0
            return ListBody.Page(
                items: changes.texts.map(\.text),
                end: isEnd ? ["last_sequence": JSON(changes.last ?? last)] : nil
            )
        }
        let body = PagedBody(on: call.queue, read: { try list.read() })
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"],
            body: .pieces(body, byteCount: nil)
        )
    }
}

/// Reads changes as the texts that clients get.
struct ChangesPage: Sendable {
    struct Changes {
        var texts: [(sequence: UInt64, text: [UInt8])] = []
        var last: UInt64? { texts.last?.sequence }
    }

    let call: RESTCall
    let collection: CollectionPath
    let includesDocuments: Bool

    /// A page of changes; `nil` when there are none.
    func news(after sequence: UInt64) throws -> Changes? {
        let changes = try read(after: sequence, limit: call.limits.pageCount)
        return changes.texts.isEmpty ? nil : changes
    }

    func read(after sequence: UInt64, limit: Int) throws -> Changes {
        try call.store.read { reader in
            var changes = Changes()
            guard includesDocuments else {
                for row in try reader.changes(in: collection, after: sequence, limit: limit) {
                    let text = try text(row.documentID, row.revisionID, row.sequence, row.flags)
                    changes.texts.append((row.sequence, text))
                }
                return changes
            }
            for row in try reader.documents(in: collection, after: sequence, limit: limit) {
                let text = try text(row.documentID, row.revisionID, row.sequence, row.flags)
                let body = row.isTombstone ? nil : row.body
                changes.texts.append((row.sequence, text.adding("doc", body)))
            }
            return changes
        }
    }

    private func text(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        _ sequence: UInt64,
        _ flags: DocumentFlags
    ) throws -> [UInt8] {
        var object: JSONObject = [
            "id": .string(documentID.text), "rev": .string("\(revisionID)"),
            "sequence": JSON(sequence),
        ]
        if flags.contains(.tombstone) { object["deleted"] = true }
        if flags.contains(.conflicted) { object["conflict"] = true }
        return try JSON.object(object).canonicalBytes()
    }
}

/// Changes from a sequence on, as events.
private final class ChangesFeed: Sendable {
    private let page: ChangesPage
    private let last: Mutex<UInt64>

    init(_ page: ChangesPage, since sequence: UInt64) {
        self.page = page
        last = Mutex(sequence)
    }

    /// The events since the last call; `nil` when there are none.
    func read() throws -> [UInt8]? {
        guard let changes = try page.news(after: last.withLock { $0 }), let newest = changes.last
        else { return nil }
        last.withLock { $0 = newest }
        return changes.texts.flatMap { sequence, text in
            HTTPEvent(id: "\(sequence)", name: "change", data: text).bytes
        }
    }
}

/// A page of changes that is waited for; the wait ends with the client.
private final class PollBody: HTTPBodySource {
    private let page: ChangesPage
    private let since: UInt64
    private let deadline: Duration
    private let wait: ChangeWait
    private let isTold = Mutex(false)

    init(_ page: ChangesPage, since sequence: UInt64, until deadline: Duration) {
        self.page = page
        since = sequence
        self.deadline = deadline
        wait = ChangeWait(page.call.bell, on: page.call.queue)
    }

    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
        guard !isTold.withLock({ $0 }) else { return answer(.end) }
        let look: @Sendable () throws -> ChangesPage.Changes? = { [page, since] in
            try page.news(after: since)
        }
        wait.wait(until: deadline, for: look) { [self] outcome in
            do {
                answer(.bytes(try text(of: try outcome.get() ?? ChangesPage.Changes())))
            } catch {
                Log(.listener).warning("A wait for changes ended: \(error)")
                answer(.failed)
            }
        }
    }

    func cancel() {
        wait.cancel()
    }

    private func text(of changes: ChangesPage.Changes) throws -> [UInt8] {
        isTold.withLock { $0 = true }
        let list = ListBody("results") { [since] in
            let end: JSONObject = ["last_sequence": JSON(changes.last ?? since)]
            return ListBody.Page(items: changes.texts.map(\.text), end: end)
        }
        return try list.read() ?? []
    }
}
