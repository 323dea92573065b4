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

    /// The output for machines.
    var json: JSONObject {
        var object: JSONObject = ["address": .string(address), "port": JSON(port)]
        if let user { object["user"] = .string(user) }
        if let certificate { object["certificate"] = .string(certificate) }
        return object
    }
}
