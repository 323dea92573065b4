import DivanCrypto
import DivanHTTP
import DivanMesh
import DivanStore
import DivanTransport
import DivanWebSocket

/// What two peers tell each other in the header fields of the handshake.
///
/// | field | in | value |
/// |---|---|---|
/// | `Divan-Mesh-Collections` | request, acceptance | the collections, as on the wire, separated by commas |
/// | `Divan-Mesh-Subscriptions` | request, acceptance | conditions, separated by commas |
/// | `Divan-Mesh-End` | refusal | the reason, a `LinkEnd` |
/// | `Divan-Mesh-Introduction` | refusal | a gossip message with other peers, Base64 |
/// | `Retry-After` | refusal | seconds |
///
/// A condition is preceded by the place of its collection in the list of collections and a colon, and is in Base64.
enum LinkHeaders {
    private static let collections = "Divan-Mesh-Collections"
    private static let subscriptions = "Divan-Mesh-Subscriptions"
    private static let end = "Divan-Mesh-End"
    private static let introduction = "Divan-Mesh-Introduction"
    private static let retryAfter = "Retry-After"

    /// Limits for a client that reads an introduction of the largest size.
    static func permitIntroductions(in limits: inout WebSocketLimits) {
        limits.lineByteCount = 2 * MeshLimits.messageByteCount
        limits.headByteCount = 2 * MeshLimits.messageByteCount + (16 << 10)
    }

    static func offer(
        _ paths: [CollectionPath],
        _ conditions: [CollectionPath: String] = [:]
    ) -> HTTPHeaders {
        var headers: HTTPHeaders = [collections: paths.map(\.wireName).joined(separator: ",")]
        let items = paths.enumerated().compactMap { place, path in
            conditions[path].map { "\(place):\(Base64.encode(Array($0.utf8).span))" }
        }
        if !items.isEmpty { headers.append(subscriptions, items.joined(separator: ",")) }
        return headers
    }

    /// The collections of `own` that the other peer has too, in the order of `own`.
    static func common(_ own: [CollectionPath], _ headers: HTTPHeaders) -> [CollectionPath] {
        let theirs = Set(theirCollections(headers))
        return own.filter(theirs.contains)
    }

    /// The collections of the other peer; `nil` for a name that is invalid.
    private static func theirCollections(_ headers: HTTPHeaders) -> [CollectionPath?] {
        (headers[collections] ?? "")
            .split(
                separator: ",",
                maxSplits: MeshPeerLimits.collectionCount,
                omittingEmptySubsequences: false
            )
            .map { CollectionPath(String($0)) }
    }

    /// The conditions of the other peer, not checked further.
    ///
    /// - Throws: `MeshPeerError.invalidSubscription` for an item that is no condition of one of its collections.
    static func conditions(
        _ headers: HTTPHeaders
    ) throws(MeshPeerError) -> [CollectionPath: String] {
        guard let list = headers[subscriptions] else { return [:] }
        let paths = theirCollections(headers)
        var conditions: [CollectionPath: String] = [:]
        for item in list.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let place = Int(parts[0]), paths.indices.contains(place),
                let path = paths[place], conditions[path] == nil,
                let bytes = Base64.decode(parts[1]),
                let condition = String(validating: bytes, as: UTF8.self)
            else { throw .invalidSubscription(String(item.prefix(40)), reason: "invalid header") }
            conditions[path] = condition
        }
        return conditions
    }

    /// The answer to a call that the mesh refuses.
    static func refusal(
        _ reason: LinkEnd,
        retryAfter pause: Duration,
        introduction message: [UInt8]
    ) -> HandshakeRefusal {
        var headers = HTTPHeaders()
        headers.append(end, String(reason.rawValue))
        headers.append(retryAfter, String(max(1, pause.components.seconds)))
        if !message.isEmpty { headers.append(introduction, Base64.encode(message.span)) }
        return HandshakeRefusal(status: 503, headers: headers, explanation: reason.explanation)
    }

    /// Whether the mesh refused a call, as opposed to the server in front of it.
    static func isRefusalOfMesh(_ headers: HTTPHeaders) -> Bool { headers[end] != nil }

    /// Reads the answer to a call that was refused; `nil` if the mesh did not refuse it.
    static func refusal(_ headers: HTTPHeaders, by peer: MeshPeerID) -> CallFailure? {
        guard let reason = headers[end].flatMap(UInt16.init).flatMap(LinkEnd.init) else {
            return nil
        }
        let seconds = headers[retryAfter].flatMap(UInt16.init)
        let text = headers[introduction] ?? ""
        return .refused(
            reason,
            by: peer,
            retryAfter: seconds.map { .seconds(Int64($0)) },
            introduction: Base64.decode(text) ?? []
        )
    }
}

extension LinkEnd {
    /// Why, in a sentence for the log of the other peer.
    var explanation: String {
        switch self {
        case .unneeded: "neither peer needs this link"
        case .duplicate: "the peers are already linked"
        case .full: "the peer has reached its limit of links"
        case .silent: "the peer sent nothing for too long"
        case .offence: "the peer violated the mesh protocol"
        case .goodbye: "the peer left the mesh"
        case .incompatible: "the peers have no collection, or no revision scheme, in common"
        case .itself: "a peer connected to itself"
        }
    }
}
