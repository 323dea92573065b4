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
    private let jar: Mutex<CookieJar>

    /// Opens the jar that the database keeps; one that cannot be read counts as empty.
    init(_ store: Store, acceptsParentDomains: Bool) {
        self.store = store
        let kept = (try? store.read { try $0.metadata(Self.key) }) ?? nil
        let jar = kept.flatMap { bytes in
            try? CookieJar(decoding: bytes.span, acceptsParentDomains: acceptsParentDomains)
        }
        self.jar = Mutex(jar ?? CookieJar(acceptsParentDomains: acceptsParentDomains))
    }

    /// The `Cookie` field for a request; `configured` are the application's own cookies.
    func header(for endpoint: WebSocketEndpoint, beside configured: String?) -> String? {
        jar.withLock { jar in
            jar.header(for: endpoint.location, at: Self.now, beside: configured)
        }
    }

    /// Keeps the cookies that an answer sets.
    func receive(_ headers: HTTPHeaders, from endpoint: WebSocketEndpoint) {
        let set = headers.values("Set-Cookie")
        guard !set.isEmpty else { return }
        let bytes = jar.withLock { jar in
            for field in set { jar.receive(field, from: endpoint.location, at: Self.now) }
            return jar.encoded()
        }
        do {
            try store.write { try $0.setMetadata(Self.key, bytes) }
        } catch {
            Journal.sync.warning("Cookies of \(endpoint) could not be kept: \(error)")
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }
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
