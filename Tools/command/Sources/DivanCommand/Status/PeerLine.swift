import DivanCommandLine
import DivanJSON

/// One peer of a listener as a line.
enum PeerLine {
    /// The user and address, and how many documents were transferred.
    static func text(_ peer: JSONObject) -> String {
        let sent = Numbers.grouped(peer["documentsSent"]?.count ?? 0)
        let received = Numbers.grouped(peer["documentsReceived"]?.count ?? 0)
        return "\(name(peer)): sent \(sent), received \(received)"
            + (peer["active"] == .bool(true) ? ", active" : "")
    }

    /// The user and address.
    static func name(_ peer: JSONObject) -> String {
        let who = peer["user"]?.string ?? peer["certificate"]?.string ?? "anonymous"
        return "\(who) from \(peer["address"]?.string ?? "?")"
    }
}
