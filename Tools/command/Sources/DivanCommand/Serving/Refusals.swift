import CouchbaseLiteSwift
import DivanCommandLine
import DivanJSON
import DivanLog
import DivanREST
import Foundation
import Synchronization

/// Requests that listeners refused since the last poll, grouped by kind; filled from any thread.
final class Refusals: Sendable {
    /// One kind of refusal.
    struct Entry: Sendable {
        let database: String
        var address: String
        var user: String?
        let status: Int
        /// What the client was told, if the status alone does not say it.
        var explanation: String?
        /// When the last one was, in milliseconds since 1970.
        var moment: Int64
        var count: UInt64 = 1

        /// The entry as events show it.
        func redacted(_ redaction: LogRedaction) -> Entry {
            var entry = self
            entry.user = user.map(redaction.user)
            entry.address = redaction.address(address)
            return entry
        }

        /// The output for machines; the address comes first.
        var json: JSONObject {
            var object: JSONObject = [
                "address": .string(address), "count": JSON(count), "database": .string(database),
                "status": JSON(status), "reason": .string(reason),
            ]
            if let user { object["user"] = .string(user) }
            return object
        }

        /// The output for people, without the moment.
        var sentence: String {
            let times = count == 1 ? "" : ", \(Numbers.grouped(count)) times"
            let who = user.map { ", user \"\($0)\"" }.orEmpty
            return "refused \(address) with \(status)\(who): \(reason)\(times)"
        }

        private var reason: String {
            switch status {
            case 401: user == nil ? "wrong or missing credentials" : "wrong password"
            case 403: "not allowed"
            case 404: "no such database"
            case 421: "unknown host name"
            case 429: "too many attempts or connections"
            case 503: "too many connections"
            default: explanation ?? "not a replication request"
            }
        }
    }

    private struct Key: Hashable {
        let database: [UInt8]
        let address: [UInt8]
        let user: [UInt8]?
        let status: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var order: [Key] = []
        var omittedCount: UInt64 = 0
    }

    /// Maximum number of kinds between two polls; refusals of other kinds are only counted.
    static let limit = 200

    private let state = Mutex(State())
    private let countsOverHTTP = Mutex<[Int: UInt64]>([:])

    /// How many HTTP requests were refused so far, by status.
    var countByStatusOverHTTP: [Int: UInt64] { countsOverHTTP.withLock { $0 } }

    /// Records a refusal by a listener.
    func add(_ refusal: ListenerRefusal, at path: DatabasePath) {
        // Clients send their first request without credentials, to learn which are required.
        guard refusal.status != 401 || refusal.showedCredentials else { return }
        add(
            Entry(
                database: path.name,
                address: refusal.address,
                user: refusal.claimedUser.map { String($0.prefix(200)) },
                status: refusal.status,
                explanation: refusal.explanation,
                moment: Int64(refusal.date.timeIntervalSince1970 * 1000)
            )
        )
    }

    /// Records a refusal by the REST interface.
    func add(_ refusal: RESTRefusal) {
        guard refusal.status != 401 || refusal.showedCredentials else { return }
        countsOverHTTP.withLock { $0[refusal.status, default: 0] += 1 }
        add(
            Entry(
                database: refusal.database ?? "",
                address: refusal.address,
                user: refusal.claimedUser.map { String($0.prefix(200)) },
                status: refusal.status,
                moment: Moment.now()
            )
        )
    }

    /// Records a refusal.
    func add(_ entry: Entry) {
        let key = Key(
            database: Array(entry.database.utf8),
            address: Array(entry.address.utf8),
            user: entry.user.map { Array($0.utf8) },
            status: entry.status
        )
        state.withLock { state in
            if state.entries[key] != nil {
                state.entries[key]?.count += 1
                state.entries[key]?.moment = entry.moment
            } else if state.order.count < Self.limit {
                state.entries[key] = entry
                state.order.append(key)
            } else {
                state.omittedCount += 1
            }
        }
    }

    /// Returns what was refused, ordered by the first occurrence, and how many refusals of other kinds there were.
    func take() -> (entries: [Entry], omittedCount: UInt64) {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        return (state.order.compactMap { state.entries[$0] }, state.omittedCount)
    }
}
