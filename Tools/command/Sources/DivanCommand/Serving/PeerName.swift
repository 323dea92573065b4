import CouchbaseLiteSwift
import DivanJSON
import DivanLog

/// The user or certificate of a peer, and its address.
struct PeerName: Hashable, Sendable {
    private(set) var user: String?
    /// The subject of its certificate.
    private(set) var certificate: String?
    private(set) var address: String
    let port: UInt16

    init(_ client: ListenerClient) {
        user = client.user
        certificate = client.certificates.first?.subject
        address = client.address
        port = client.port
    }

    /// The name as events show it.
    func redacted(_ redaction: LogRedaction) -> PeerName {
        var name = self
        name.user = user.map(redaction.user)
        name.certificate = certificate.map(redaction.user)
        name.address = redaction.address(address)
        return name
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
