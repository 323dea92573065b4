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
        let cursor = ChangeCursor(call, collection)
        if let text = call.request.headers["Last-Event-ID"], let last = try? cursor.sequence(text) {
            return last
        }
        guard let text = call.request.target["since"] else { return 0 }
        guard text != "now" else {
            return try call.store.read { try $0.lastSequence(in: collection) }
        }
        return try cursor.sequence(text)
    }

    private func list(_ page: ChangesPage, _ since: UInt64) throws -> HTTPResponse {
        let limit: Int = try call.number("limit", in: 1...Int.max) ?? Int.max
        let progress = ListProgress(last: since, rest: limit)
        let list = ListBody("results") { [pageCount = call.limits.pageCount] in
            let (last, rest) = progress.value
            let wanted = min(rest, pageCount)
            let changes = try page.read(after: last, limit: wanted)
            let left = rest - changes.texts.count
            progress.value = (changes.end, left)
            let isEnd = changes.texts.count < wanted || left == 0
            return ListBody.Page(
                items: changes.texts.map(\.text),
                end: isEnd ? ["last_sequence": page.cursor.json(changes.end)] : nil
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
        /// Where to go on.
        var end: UInt64

        mutating func append(_ sequence: UInt64, _ text: [UInt8]) {
            texts.append((sequence, text))
            end = sequence
        }
    }

    let call: RESTCall
    let collection: CollectionPath
    let includesDocuments: Bool
    let cursor: ChangeCursor

    init(call: RESTCall, collection: CollectionPath, includesDocuments: Bool) {
        self.call = call
        self.collection = collection
        self.includesDocuments = includesDocuments
        cursor = ChangeCursor(call, collection)
    }

    /// A page of changes.
    func news(after sequence: UInt64) throws -> Changes {
        try read(after: sequence, limit: call.limits.pageCount)
    }

    func read(after sequence: UInt64, limit: Int) throws -> Changes {
        try call.store.read { reader in
            guard call.rights.condition == nil else {
                return try readVisible(after: sequence, limit: limit, reader)
            }
            var changes = Changes(end: sequence)
            guard includesDocuments else {
                for row in try reader.changes(in: collection, after: sequence, limit: limit) {
                    let text = try text(row.documentID, row.revisionID, row.sequence, row.flags)
                    changes.append(row.sequence, text)
                }
                return changes
            }
            for document in try reader.documents(in: collection, after: sequence, limit: limit) {
                changes.append(document.sequence, try text(of: document))
            }
            return changes
        }
    }

    /// The changes of documents that the client may see; the others are gone over.
    private func readVisible(
        after sequence: UInt64,
        limit: Int,
        _ reader: StoreReader
    ) throws -> Changes {
        var changes = Changes(end: sequence)
        while true {
            let documents = try reader.documents(
                in: collection,
                after: changes.end,
                limit: call.limits.pageCount
            )
            for document in documents {
                guard call.sees(document) else {
                    changes.end = document.sequence
                    continue
                }
                changes.append(document.sequence, try text(of: document))
                if changes.texts.count == limit { return changes }
            }
            if documents.count < call.limits.pageCount { return changes }
        }
    }

    private func text(of document: StoredDocument) throws -> [UInt8] {
        let text = try text(
            document.documentID,
            document.revisionID,
            document.sequence,
            document.flags
        )
        guard includesDocuments, !document.isTombstone else { return text }
        return text.adding("doc", document.body)
    }

    private func text(
        _ documentID: DocumentID,
        _ revisionID: RevisionID,
        _ sequence: UInt64,
        _ flags: DocumentFlags
    ) throws -> [UInt8] {
        var object: JSONObject = [
            "id": .string(documentID.text), "rev": .string("\(revisionID)"),
            "sequence": cursor.json(sequence),
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
        let changes = try page.news(after: last.withLock { $0 })
        last.withLock { $0 = changes.end }
        guard !changes.texts.isEmpty else { return nil }
        return changes.texts.flatMap { [page] sequence, text in
            HTTPEvent(id: page.cursor.text(sequence), name: "change", data: text).bytes
        }
    }
}

/// A page of changes that is waited for; the wait ends with the client.
private final class PollBody: HTTPBodySource {
    private let page: ChangesPage
    /// What was gone over need not be looked at again.
    private let end: Mutex<UInt64>
    private let deadline: Duration
    private let wait: ChangeWait
    private let isTold = Mutex(false)

    init(_ page: ChangesPage, since sequence: UInt64, until deadline: Duration) {
        self.page = page
        end = Mutex(sequence)
        self.deadline = deadline
        wait = ChangeWait(page.call.bell, on: page.call.queue)
    }

    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
        guard !isTold.withLock({ $0 }) else { return answer(.end) }
        let look: @Sendable () throws -> ChangesPage.Changes? = { [self] in
            let changes = try page.news(after: end.withLock { $0 })
            end.withLock { $0 = changes.end }
            return changes.texts.isEmpty ? nil : changes
        }
        wait.wait(until: deadline, for: look) { [self] outcome in
            do {
                let end = end.withLock { $0 }
                answer(.bytes(try text(of: try outcome.get() ?? ChangesPage.Changes(end: end))))
            } catch {
                Log(.listener).warning("A wait for changes ended: \(error)")
                answer(.failed)
            }
        }
    }

    /// It may wait for minutes, for a client that has left.
    var isEndless: Bool { true }

    func cancel() {
        wait.cancel()
    }

    private func text(of changes: ChangesPage.Changes) throws -> [UInt8] {
        isTold.withLock { $0 = true }
        let list = ListBody("results") { [page] in
            let end: JSONObject = ["last_sequence": page.cursor.json(changes.end)]
            return ListBody.Page(items: changes.texts.map(\.text), end: end)
        }
        return try list.read() ?? []
    }
}
