import DivanCommandLine
import DivanJSON

/// One peer of a listener as a line.
enum PeerLine {
    /// Who, from where, since when, and how much it transferred.
    static func text(_ peer: JSONObject) -> String {
        let sent = Numbers.grouped(peer["documentsSent"]?.count ?? 0)
        let received = Numbers.grouped(peer["documentsReceived"]?.count ?? 0)
        return "\(name(peer)): sent \(sent), received \(received)"
            + (peer["active"] == .bool(true) ? ", active" : "")
    }

    /// Who, and from where.
    static func name(_ peer: JSONObject) -> String {
        let who = peer["user"]?.string ?? peer["certificate"]?.string ?? "anybody"
        return "\(who) from \(peer["address"]?.string ?? "?")"
    }
}
