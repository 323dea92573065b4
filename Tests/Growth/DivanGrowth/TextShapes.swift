import DivanAuth
import DivanReplicator
import DivanTLS
import DivanWebSocket

private let location = CookieJar.Location(host: "db.example.com", path: "/a", isSecure: true)

let textShapes: [Shape] = [
    Shape("CookieJar", "cookies of one server", from: 500) { count in
        {
            var jar = CookieJar()
            for number in 0..<count {
                jar.receive("c\(number)=v; Max-Age=1000", from: location, at: 0)
            }
            _ = jar.header(for: location, at: 1)
        }
    },
    Shape("CookieJar", "one cookie of many attributes", from: 500, to: 4_000) { count in
        let text = "a=b" + String(repeating: ";", count: count)
        return {
            for _ in 0..<10 {
                var jar = CookieJar()
                jar.receive(text, from: location, at: 0)
            }
        }
    },
    Shape("CookieJar", "a stored jar", from: 500) { count in
        var jar = CookieJar()
        jar.receive("a=b; Max-Age=1000", from: location, at: 0)
        let lines = String(decoding: jar.encoded(), as: UTF8.self).split(separator: "\n")
        let line = String(lines[1])
        let text = "\(lines[0])\n" + String(repeating: line + "\n", count: count)
        let bytes = Array(text.utf8)
        return { _ = try CookieJar(decoding: bytes.span) }
    },
    Shape("BasicCredentials", "a long header", from: 4_000) { count in
        let header = "Basic " + String(repeating: "QUFB", count: count / 4)
        return { _ = BasicCredentials(header: header) }
    },
    Shape("TLSCertificate", "a text without an end", from: 4_000) { count in
        let text = "-----BEGIN CERTIFICATE-----\n" + String(repeating: "QUFB\n", count: count / 5)
        return { _ = try? TLSCertificate(pem: text) }
    },
    Shape("WebSocketURL", "a long path", from: 4_000) { count in
        let text = "wss://host/" + String(repeating: "a/", count: count / 2) + "db"
        return { _ = try? WebSocketURL(text) }
    },
    Shape("CheckpointID", "many channels", from: 500) { count in
        var inputs = CheckpointID.Inputs(
            privateUUID: [UInt8](repeating: 1, count: 16),
            remoteIdentity: "ws://host/db/_blipsync"
        )
        inputs.channels = (0..<count).reversed().map(digits)
        let given = inputs
        return { _ = CheckpointID(given) }
    },
]
