import CouchbaseLiteSwift
import DivanJSON

/// The user or certificate of a peer, and its address.
struct PeerName: Hashable, Sendable {
    let user: String?
    /// The subject of its certificate.
    let certificate: String?
    let address: String
    let port: UInt16

    init(_ client: ListenerClient) {
        user = client.user
        certificate = client.certificates.first?.subject
        address = client.address
        port = client.port
    }

    /// The name for people.
    var who: String { user ?? certificate ?? "anonymous" }

    /// Whether a text names this peer: its user, its certificate, its address, or its address and port.
    func matches(_ text: String) -> Bool {
        let host = address.contains(":") ? "[\(address)]" : address
        return [user, certificate, address, "\(host):\(port)"].contains { name in
            name.map { $0.utf8.elementsEqual(text.utf8) } ?? false
        }
    }

    /// The output for machines.
    var json: JSONObject {
        var object: JSONObject = ["address": .string(address), "port": JSON(port)]
        if let user { object["user"] = .string(user) }
        if let certificate { object["certificate"] = .string(certificate) }
        return object
    }
}
