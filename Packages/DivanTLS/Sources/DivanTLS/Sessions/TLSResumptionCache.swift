public import Foundation
import Synchronization

/// Keeps the state that clients need to resume earlier sessions, in memory, for a limited number of servers.
///
/// A value is found only under the context, host and port for which it was stored. A context has one way to verify
/// servers and one client certificate, so nothing that one configuration trusts or presents is used by another. A
/// value is returned only once. If it is not certain that the server would be accepted again, nothing is returned,
/// and the handshake is a full handshake: `ServerTrust.callback` may decide differently, and with roots the
/// certificates must still be valid.
///
/// All members can be used from any thread.
public final class TLSResumptionCache: Sendable {
    /// The default cache of all clients.
    public static let shared = TLSResumptionCache()

    /// The maximum number of servers; at the limit the oldest value is discarded.
    public let limit: Int

    private struct Entry {
        let context: ContextNumber
        let host: String
        let port: UInt16
        let resumption: TLSResumption

        func belongs(to context: TLSContext, _ host: String, _ port: UInt16) -> Bool {
            self.context == context.number && self.host == host && self.port == port
        }
    }

    private let entries = Mutex<[Entry]>([])

    /// Creates an empty cache; with a limit of 0 nothing is stored.
    public init(limit: Int = TLSLimits.resumptionCount) {
        self.limit = max(0, limit)
    }

    /// The number of values.
    public var count: Int { entries.withLock { $0.count } }

    /// Stores a value, which replaces an earlier value for the same server.
    ///
    /// Ignored if it was created in another context, or if `context` does not resume sessions.
    public func keep(
        _ resumption: TLSResumption,
        for context: TLSContext,
        host: String,
        port: UInt16
    ) {
        guard limit > 0, resumption.context == context.number, context.verifiesEqually else {
            return
        }
        let entry = Entry(context: context.number, host: host, port: port, resumption: resumption)
        entries.withLock { entries in
            entries.removeAll { $0.belongs(to: context, host, port) }
            if entries.count >= limit { entries.removeFirst() }
            entries.append(entry)
        }
    }

    /// Returns the value for a server, and removes it.
    ///
    /// The validity of the server's certificates is checked for the time `now`.
    public func take(
        for context: TLSContext,
        host: String,
        port: UInt16,
        at now: Date = Date()
    ) -> TLSResumption? {
        let entry: Entry? = entries.withLock { entries in
            let index = entries.firstIndex { $0.belongs(to: context, host, port) }
            return index.map { entries.remove(at: $0) }
        }
        guard let resumption = entry?.resumption else { return nil }
        let isSound =
            !context.checksValidity
            || resumption.certificates.allSatisfy { $0.isValid(at: now) }
        return isSound ? resumption : nil
    }

    /// Removes everything; the secrets are wiped.
    public func removeAll() {
        entries.withLock { $0 = [] }
    }
}

extension TLSContext {
    /// Whether a server that was accepted would be accepted again, as far as this context decides.
    fileprivate var verifiesEqually: Bool {
        switch verification {
        case .server(.systemRoots), .server(.roots), .server(.pinned), .server(.selfSignedOnly):
            true
        case .server(.callback), .server(.peers), .client: false
        }
    }

    /// Whether a full handshake would check the dates of the server's certificates.
    fileprivate var checksValidity: Bool {
        switch verification {
        case .server(.systemRoots), .server(.roots), .server(.peers): true
        case .server, .client: false
        }
    }
}
