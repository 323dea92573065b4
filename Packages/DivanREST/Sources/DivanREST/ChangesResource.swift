import DivanDatabase
import DivanHTTP
import DivanJSON
import DivanLog
import DivanRevisions
import DivanTransport
import Synchronization

/// The changes of a collection after a sequence: as a list, as soon as there are any, or as an event stream.
struct ChangesResource {
    let call: RESTCall
    let collection: CollectionPath

    func answer() throws -> HTTPResponse {
        try call.check(collection)
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
            guard call.request.target["limit"] == nil else {
                throw RESTError.bad("limit cannot be used with feed=eventsource; remove it")
            }
            let headers: HTTPHeaders = [
                "Content-Type": HTTPEvent.contentType, "Cache-Control": "no-cache",
            ]
            let feed = ChangesFeed(page, since: since)
            let body = EventStreamBody(
                call.notifier,
                on: call.queue,
                heartbeat: call.limits.heartbeat,
                looking: feed.read
            )
            return HTTPResponse(
                status: 200,
                headers: headers,
                body: .pieces(body, byteCount: nil)
            )
        default: throw RESTError.bad("feed must be normal, longpoll or eventsource")
        }
    }

    /// A list sent as soon as there is a change, or empty when the client's timeout expires.
    private func poll(_ page: ChangesPage, _ since: UInt64) throws -> HTTPResponse {
        let longest = Int(min(max(call.limits.longestPoll / .milliseconds(1), 1), 86_400_000))
        let timeout: Int = try call.number("timeout", in: 1...longest) ?? min(60_000, longest)
        let limit: Int = try call.number("limit", in: 1...Int.max) ?? Int.max
        let deadline = call.notifier.clock.now + .milliseconds(timeout)
        let body = PollBody(page, since: since, limit: limit, until: deadline)
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "application/json", "Cache-Control": "no-cache"],
            body: .pieces(body, byteCount: nil)
        )
    }

    /// The start: `?since=`, or the last event ID of a browser that reconnects.
    private func since() throws -> UInt64 {
        let cursor = ChangeCursor(call, collection)
        if let text = call.request.headers["Last-Event-ID"], let last = try? cursor.sequence(text) {
            return last
        }
        guard let text = call.request.target["since"] else { return 0 }
        guard text != "now" else {
            return try call.store.readLiving { try $0.lastSequence(in: collection) }
        }
        return try cursor.sequence(text)
    }

    private func list(_ page: ChangesPage, _ since: UInt64) throws -> HTTPResponse {
        let limit: Int = try call.number("limit", in: 1...Int.max) ?? Int.max
        let reading = ChangesReading(page, since: since)
        let rest = Mutex(limit)
        let damagedCount = Mutex(0)
        let list = ListBody("results") { [pageCount = call.limits.pageCount] in
            let wanted = min(rest.withLock { $0 }, pageCount)
            guard let changes = try reading.next(wanted) else { return nil }
            let left = rest.withLock { rest in
                rest -= changes.texts.count
                return rest
            }
            let damaged = damagedCount.withLock { damagedCount in
                damagedCount += changes.damagedCount
                return damagedCount
            }
            let isEnd = changes.isLast || left == 0
            return ListBody.Page(
                items: changes.texts.map(\.text),
                end: isEnd ? page.end(at: changes.end, damagedCount: damaged) : nil
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

/// Reads changes as the texts sent to clients.
struct ChangesPage: Sendable {
    struct Changes {
        var texts: [(sequence: UInt64, text: [UInt8])] = []
        /// Where to continue.
        var end: UInt64
        /// Bytes of the texts.
        private(set) var byteCount = 0
        /// Whether the page is complete.
        var isWhole = false
        /// Whether there are no changes after them.
        var isLast = false
        /// Documents left out because they are damaged, as far as the client may see all.
        var damagedCount = 0

        init(end: UInt64) {
            self.end = end
        }

        mutating func append(_ sequence: UInt64, _ text: [UInt8]) {
            texts.append((sequence, text))
            byteCount += text.count
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

    /// The members of an answer after its results.
    func end(at sequence: UInt64, damagedCount: Int) -> JSONObject {
        var end: JSONObject = ["last_sequence": cursor.json(sequence)]
        if damagedCount > 0 { end["damaged"] = JSON(damagedCount) }
        return end
    }

    /// Continues until there are `limit` changes, or its turn is over.
    func fill(_ changes: inout Changes, upTo limit: Int) throws {
        // A feed may run for weeks.
        try call.checkCurrent()
        changes = try call.store.readLiving { [changes] reader in
            guard call.rights.condition == nil else {
                return try filled(changes, upTo: limit, reader)
            }
            var changes = changes
            changes.isWhole = true
            guard includesDocuments else {
                let rows = try reader.changes(in: collection, after: changes.end, limit: limit)
                changes.isLast = rows.count < limit
                for row in rows {
                    changes.end = row.sequence
                    // For the others only the name is reported; a tombstone makes clients delete the document.
                    guard try !row.flags.contains(.tombstone) || isSound(row, reader) else {
                        changes.damagedCount += 1
                        continue
                    }
                    let text = try text(row.documentID, row.revisionID, row.sequence, row.flags)
                    changes.append(row.sequence, text)
                }
                return changes
            }
            let (documents, damagedCount, isLast) =
                try documents(after: changes.end, limit: limit, reader)
            changes.isLast = isLast
            changes.damagedCount += damagedCount
            for document in documents {
                changes.append(document.sequence, try text(of: document))
            }
            return changes
        }
    }

    /// The same for documents that the client may see; the others are skipped, and neither the sequences nor the pieces
    /// of the answer reveal where they are.
    private func filled(
        _ changes: Changes,
        upTo limit: Int,
        _ reader: StoreReader
    ) throws -> Changes {
        var changes = changes
        var rest = call.limits.scanCount
        while rest > 0 {
            let count = min(rest, call.limits.pageCount)
            // How many are damaged would reveal documents that the client does not see.
            let (documents, _, isLast) =
                try documents(after: changes.end, limit: count, reader)
            for document in documents {
                guard call.sees(document) else {
                    changes.end = document.sequence
                    continue
                }
                changes.append(document.sequence, try text(of: document))
                if isFull(changes, limit) {
                    changes.isWhole = true
                    return changes
                }
            }
            if isLast {
                (changes.isWhole, changes.isLast) = (true, true)
                return changes
            }
            rest -= documents.count
        }
        return changes
    }

    private func isFull(_ changes: Changes, _ limit: Int) -> Bool {
        changes.texts.count == limit || changes.byteCount >= call.limits.pageByteCount
    }

    /// Consecutive documents whose bodies fit in a page, how many of them are unreadable and therefore left out, and
    /// whether none follow.
    private func documents(
        after sequence: UInt64,
        limit: Int,
        _ reader: StoreReader
    ) throws -> (documents: [StoredDocument], damagedCount: Int, isLast: Bool) {
        var pages = reader.changes(
            in: collection,
            after: sequence,
            pageCount: limit,
            byteCount: call.limits.pageByteCount
        )
        guard let page = try pages.next() else { return ([], 0, true) }
        return (page.passingOverDamage(), page.damaged.count, page.isLast)
    }

    /// Whether a change is as it was stored.
    private func isSound(_ row: ChangeRow, _ reader: StoreReader) throws -> Bool {
        try call.unlessDamaged {
            _ = try reader.document(row.documentID, in: collection, includingTombstones: true)
        } != nil
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

/// Reads changes page by page, and each page in as many turns as it takes.
///
/// Used by one reader at a time.
private final class ChangesReading: Sendable {
    private let page: ChangesPage
    /// The part of the current page found so far.
    private let found: Mutex<ChangesPage.Changes>

    init(_ page: ChangesPage, since sequence: UInt64) {
        self.page = page
        found = Mutex(ChangesPage.Changes(end: sequence))
    }

    /// The next page; `nil` while it is not complete.
    func next(_ limit: Int) throws -> ChangesPage.Changes? {
        var changes = found.withLock { $0 }
        try page.fill(&changes, upTo: limit)
        let left = changes.isWhole ? ChangesPage.Changes(end: changes.end) : changes
        found.withLock { $0 = left }
        return changes.isWhole ? changes : nil
    }

    /// The same, for those waiting for changes.
    func look(upTo limit: Int = .max) throws -> ChangePollResult<ChangesPage.Changes> {
        let count = min(limit, page.call.limits.pageCount)
        guard let changes = try next(count) else { return .unfinished }
        guard changes.texts.isEmpty else { return .found(changes) }
        // A page with only damaged documents is not the end.
        return changes.isLast ? .nothing : .unfinished
    }

    /// The part of the current page found so far.
    var current: ChangesPage.Changes { found.withLock { $0 } }
}

/// Changes after a sequence, as events.
private final class ChangesFeed: Sendable {
    private let page: ChangesPage
    private let reading: ChangesReading

    init(_ page: ChangesPage, since sequence: UInt64) {
        self.page = page
        reading = ChangesReading(page, since: sequence)
    }

    /// The events since the last call.
    func read() throws -> ChangePollResult<[UInt8]> {
        switch try reading.look() {
        case .nothing: return .nothing
        case .unfinished: return .unfinished
        case .found(let changes):
            return .found(
                changes.texts.flatMap { [page] sequence, text in
                    HTTPEvent(id: page.cursor.text(sequence), name: "change", data: text).bytes
                }
            )
        }
    }
}

/// A page of changes to wait for; the wait ends with the client.
private final class PollBody: HTTPBodySource {
    private let page: ChangesPage
    /// Skipped changes need not be examined again.
    private let reading: ChangesReading
    private let limit: Int
    private let deadline: Duration
    private let wait: ChangeWait
    private let isTold = Mutex(false)

    init(_ page: ChangesPage, since sequence: UInt64, limit: Int, until deadline: Duration) {
        self.page = page
        self.limit = limit
        reading = ChangesReading(page, since: sequence)
        self.deadline = deadline
        wait = ChangeWait(page.call.notifier, on: page.call.queue)
    }

    func next(_ answer: @escaping @Sendable (HTTPBodyPiece) -> Void) {
        guard !isTold.withLock({ $0 }) else { return answer(.end) }
        let look = { @Sendable [reading, limit] in try reading.look(upTo: limit) }
        wait.wait(until: deadline, for: look) { [self] outcome in
            do {
                answer(.bytes(try text(of: try outcome.get() ?? reading.current)))
            } catch {
                Log(.listener).warning("Waiting for changes failed: \(error)")
                answer(.failed)
            }
        }
    }

    /// It may wait for minutes for a client that has left.
    var isEndless: Bool { true }

    func cancel() {
        wait.cancel()
    }

    private func text(of changes: ChangesPage.Changes) throws -> [UInt8] {
        isTold.withLock { $0 = true }
        let list = ListBody("results") { [page] in
            ListBody.Page(
                items: changes.texts.map(\.text),
                end: page.end(at: changes.end, damagedCount: changes.damagedCount)
            )
        }
        return try list.read() ?? []
    }
}
