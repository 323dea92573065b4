import DivanAuth
import DivanStore
import DivanWebSocket
import Foundation
import Synchronization

/// The cookies of a database: what servers set, kept in its file as far as they outlive a process.
///
/// Source: `websocket-and-urls.md` §8.
final class CookieStore: Sendable {
    private static let key = "cookies"

    private let store: Store
    private let shelf: CookieShelf
    private let acceptsParentDomains: Bool

    /// Opens the jar of the database; one that cannot be read counts as empty.
    init(_ store: Store, _ shelf: CookieShelf, acceptsParentDomains: Bool) {
        self.store = store
        self.shelf = shelf
        self.acceptsParentDomains = acceptsParentDomains
        shelf.jar.withLock { jar in
            guard jar == nil else { return }
            let kept = (try? store.read { try $0.metadata(Self.key) }) ?? nil
            jar = kept.flatMap { try? CookieJar(decoding: $0.span) } ?? CookieJar()
        }
    }

    /// The `Cookie` field for a request; `configured` are the application's own cookies.
    func header(for endpoint: WebSocketEndpoint, beside configured: String?) -> String? {
        shelf.jar.withLock { jar in
            jar?.header(for: endpoint.location, at: Self.now, beside: configured)
        }
    }

    /// Keeps the cookies that an answer sets.
    func receive(_ headers: HTTPHeaders, from endpoint: WebSocketEndpoint) {
        let set = headers.values("Set-Cookie")
        guard !set.isEmpty else { return }
        let bytes = shelf.jar.withLock { jar -> [UInt8]? in
            jar?.acceptsParentDomains = acceptsParentDomains
            for field in set { jar?.receive(field, from: endpoint.location, at: Self.now) }
            return jar?.encoded()
        }
        guard let bytes else { return }
        do {
            try store.write { try $0.setMetadata(Self.key, bytes) }
        } catch {
            Journal.sync.warning("Cookies of \(endpoint) could not be kept: \(error)")
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

/// The jar of an open database, shared by all its replicators: cookies without an expiry live as
/// long as the database is open.
final class CookieShelf: Sendable {
    /// `nil` until the first replicator reads what the file keeps.
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
