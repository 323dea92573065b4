import CouchbaseLiteSwift
import DivanCommandLine
import DivanCrypto
import DivanDatabase
import DivanJSON
import DivanMesh
import DivanMeshPeer

/// How a document reaches the peers of a mesh, according to the status that the mesh has published.
struct MeshDeliveryPage {
    private let document: Document
    private let collection: CollectionPath

    /// Reads the document.
    init(of id: String, _ arguments: Arguments) throws {
        collection = try arguments.collectionPath()
        let name = try arguments.collection()
        document = try arguments.database.using(.reading) { database in
            try database.existing(name).living(id)
        }
    }

    /// Prints a line for each peer.
    func show(_ mesh: JSONObject, _ terminal: Terminal) {
        let peers = (mesh["peers"]?.array ?? []).compactMap(\.object).compactMap { peer in
            MeshPeerInfo(published: peer).map { (info: $0, name: peer["name"]?.string) }
        }
        let deliveries = MeshDelivery.all(
            to: peers.map(\.info),
            in: collection,
            // The filters of another process are not known.
            isSent: { _ in true },
            isWanted: { condition in
                (try? Collection.filter(where: condition)).map { $0(document, []) } ?? true
            }
        )
        for (peer, delivery) in zip(peers, deliveries) {
            let id = "\(peer.info.id)"
            let text = explanation(of: delivery, to: peer.info)
            if terminal.isJSON {
                let line: JSONObject = ["peerID": .string(id), "delivery": .string(text)]
                terminal.result(JSON.object(line).canonicalText)
            } else {
                let name = peer.name.map { " (\($0))" } ?? ""
                let line = "\(id.prefix(12))\(name): \(text)"
                terminal.result(line.escapingControlCharacters())
            }
        }
    }

    private func explanation(of delivery: MeshDelivery, to peer: MeshPeerInfo) -> String {
        switch delivery {
        case .linked: "sent over the link"
        case .relayed(let relay):
            // Its conditions are known if it has been linked.
            "sent through \("\(relay)".prefix(12))"
                + (peer.isPartial && peer.collections == nil ? ", if it has subscribed to it" : "")
        case .notSubscribed(let condition): "not sent: the peer has subscribed to \(condition)"
        case .filtered: "not sent: a filter leaves it out"
        case .notShared: "not sent: the peer does not sync \(collection.wireName)"
        case .noRelay: "waits: no known peer that carries everything is linked to it"
        case .offline: "waits: the peer is offline"
        case .incompatible: "not sent: different revision scheme"
        }
    }
}

extension MeshPeerInfo {
    /// Reads what a mesh has published about a peer; `nil` without a valid ID.
    init?(published peer: JSONObject) {
        guard let id = peer["peerID"]?.string.flatMap(MeshPeerID.init(hexadecimal:)) else {
            return nil
        }
        self.init(id: id)
        isOnline = peer["online"] == .bool(true)
        isCompatible = peer["compatible"] != .bool(false)
        isPartial = peer["partial"] == .bool(true)
        neighbours = (peer["neighbours"]?.array ?? []).compactMap { neighbour in
            neighbour.string.flatMap(MeshPeerID.init(hexadecimal:))
        }
        link = peer["reason"]?.string.flatMap(MeshLinkStatus.Reason.init).map { reason in
            (peer["direction"] == .string("outgoing"), reason)
        }
        collections = peer["collections"]?.array?.compactMap { name in
            name.string.flatMap { CollectionPath($0) }
        }
        for (name, condition) in peer["subscriptions"]?.object ?? [:] {
            guard let path = CollectionPath(name) else { continue }
            subscriptions[path] = condition.string
        }
    }
}

extension MeshPeerID {
    /// Reads 64 hexadecimal digits.
    fileprivate init?(hexadecimal text: String) {
        guard let bytes = Hex.decode(text) else { return nil }
        self.init(bytes.span)
    }
}
