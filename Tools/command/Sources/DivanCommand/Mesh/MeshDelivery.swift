import CouchbaseLiteSwift
import DivanCommandLine
import DivanDatabase
import DivanJSON

/// How a document reaches the peers of a mesh, according to the status that the mesh has published.
struct MeshDelivery {
    private let document: Document
    private let collection: String

    /// Reads the document.
    init(of id: String, _ arguments: Arguments) throws {
        collection = try arguments.collectionPath().wireName
        let name = try arguments.collection()
        document = try arguments.database.using(.reading) { database in
            try database.existing(name).living(id)
        }
    }

    /// Prints a line for each peer.
    func show(_ mesh: JSONObject, _ terminal: Terminal) {
        let peers = (mesh["peers"]?.array ?? []).compactMap(\.object)
        let receivers = Set(
            peers.filter { refusal(by: $0) == nil }.compactMap { $0["peerID"]?.string }
        )
        for peer in peers {
            let id = peer["peerID"]?.string ?? ""
            let text = explanation(for: peer, receivers)
            if terminal.isJSON {
                let line: JSONObject = ["peerID": .string(id), "delivery": .string(text)]
                terminal.result(JSON.object(line).canonicalText)
            } else {
                let name = peer["name"]?.string.map { " (\($0))" } ?? ""
                let line = "\(id.prefix(12))\(name): \(text)"
                terminal.result(line.escapingControlCharacters())
            }
        }
    }

    private func explanation(for peer: JSONObject, _ receivers: Set<String>) -> String {
        if peer["reason"] != nil { return refusal(by: peer) ?? "sent over the link" }
        if peer["compatible"] == .bool(false) { return "not sent: different revision scheme" }
        if peer["online"] != .bool(true) { return "waits: the peer is offline" }
        guard let carrier = peer["carrier"]?.string, receivers.contains(carrier) else {
            return "waits: no known peer that carries everything is linked to it"
        }
        let condition = peer["partial"] == .bool(true) ? ", if it has subscribed to it" : ""
        return "sent through \(carrier.prefix(12))\(condition)"
    }

    /// Why the document is not sent over the link to a peer; `nil` if it is.
    private func refusal(by peer: JSONObject) -> String? {
        guard peer["reason"] != nil else { return "not linked" }
        let collections = (peer["collections"]?.array ?? []).compactMap(\.string)
        guard collections.contains(collection) else {
            return "not sent: the peer does not sync \(collection)"
        }
        guard let condition = peer["subscriptions"]?.object?[collection]?.string,
            let filter = try? Collection.filter(where: condition), !filter(document, [])
        else { return nil }
        return "not sent: the peer has subscribed to \(condition)"
    }
}
