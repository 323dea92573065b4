import DivanAuth
import DivanDatabase
import DivanLog
import DivanWebSocket
import Foundation
import Synchronization

/// The cookies of a database, as set by servers; those that outlive the process are kept in its file.
///
/// Source: `websocket-and-urls.md` §8.
final class CookieStore: Sendable {
    private static let key = "cookies"

    private let store: Store
    private let shared: SharedCookieJar
    private let acceptsParentDomains: Bool

    /// Opens the cookie jar of the database; one that cannot be read counts as empty.
    init(_ store: Store, _ shared: SharedCookieJar, acceptsParentDomains: Bool) {
        self.store = store
        self.shared = shared
        self.acceptsParentDomains = acceptsParentDomains
        guard shared.jar.withLock({ $0 == nil }) else { return }
        // Before taking the lock: this may wait for a batch, and the batch may itself start a replicator.
        let kept = (try? store.read { try $0.metadata(Self.key) }) ?? nil
        let jar = kept.flatMap { try? CookieJar(decoding: $0.span) } ?? CookieJar()
        shared.jar.withLock { $0 = $0 ?? jar }
    }

    /// The `Cookie` field for a request; `configured` are the application's own cookies.
    func header(for endpoint: WebSocketEndpoint, beside configured: String?) -> String? {
        shared.jar.withLock { jar in
            jar?.header(for: endpoint.location, at: Self.now, beside: configured)
        }
    }

    /// Stores the cookies that a response sets.
    func receive(_ headers: HTTPHeaders, from endpoint: WebSocketEndpoint) {
        let set = headers.values("Set-Cookie")
        guard !set.isEmpty else { return }
        shared.jar.withLock { jar in
            jar?.acceptsParentDomains = acceptsParentDomains
            for field in set { jar?.receive(field, from: endpoint.location, at: Self.now) }
        }
        do {
            // Read the jar when the write runs, or the last writer might store an older state.
            try store.write { writer in
                guard let bytes = shared.jar.withLock({ $0?.encoded() }) else { return }
                try writer.setMetadata(Self.key, bytes)
            }
        } catch {
            Journal.sync.warning("Cannot store the cookies of \(endpoint): \(error)")
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

/// The cookie jar of an open database, shared by all its replicators: cookies without an expiry live as long as the
/// database is open.
final class SharedCookieJar: Sendable {
    /// `nil` until the first replicator reads the stored cookies.
    fileprivate let jar = Mutex<CookieJar?>(nil)
}

extension WebSocketEndpoint {
    fileprivate var location: CookieJar.Location {
        CookieJar.Location(
            host: host.lowercased(),
            path: String(target.prefix { $0 != "?" }),
            isSecure: isSecure
        )
    }
}
