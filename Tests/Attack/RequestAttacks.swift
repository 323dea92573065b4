import DivanAuth
import DivanBLIP
import DivanCrypto
import Foundation

/// Errors before a connection is upgraded: URLs, headers, credentials, other protocols.
struct RequestAttacks {
    let attacked: AttackedProcess
    let report: Report

    func run() {
        report.heading("Paths, databases and collections")
        runPaths()
        runCollections()
        report.heading("Credentials")
        runHeaders()
        runEncodings()
        runTiming()
        report.heading("Other protocols")
        runProtocols()
    }

    /// The status of the response to a request over TLS.
    private func status(_ request: Request) throws -> String {
        let wire = try Wire(to: attacked.passwords.port, from: Sources.next())
        try wire.startTLS()
        wire.send(request.bytes)
        return Request.status(wire.receive()).map(String.init) ?? "ended"
    }

    private func runPaths() {
        let refused = [
            "/", "/_blipsync", "/attacked", "//attacked/_blipsync", "/../attacked/_blipsync",
            "/attacked/../attacked/_blipsync", "/attacked/../../etc/passwd",
            "/./attacked/_blipsync",
            "/%2e%2e/attacked/_blipsync", "/..%2fattacked/_blipsync", "/attacked%2F_blipsync",
            "/attacked%00/_blipsync", "/attacked%/_blipsync", "/attacked%4/_blipsync",
            "/attacked%zz/_blipsync", "/%c0%aeattacked/_blipsync", "/%ff%fe/_blipsync",
            "/KITCHEN/_blipsync", "/attacked.cblite2/_blipsync", "/attacked/_blipsync/x",
            "/attacked\\_blipsync", "/nowhere/_blipsync", "/attacked.hidden/_blipsync",
        ]
        for path in refused {
            report.attack("GET \(path)", "404") { try status(Request(path: path, user: "ada")) }
        }
        report.attack("GET \(String(repeating: "/a", count: 6_000))".prefix(24) + "…", "431") {
            try status(Request(path: String(repeating: "/a", count: 6_000), user: "ada"))
        }
        report.attack("a percent escape that spells the name", "101") {
            try status(Request(path: "/%61ttacked/_blipsync", user: "ada"))
        }
        report.attack("an unknown database without credentials reveals nothing", "401") {
            try status(Request(path: "/nowhere/_blipsync"))
        }
    }

    private func runCollections() {
        report.attack("an unknown collection", "[null]") {
            try AttackClient(attacked.passwords).open(["nowhere"])
        }
        report.attack("a request about it", "HTTP/400") {
            let visitor = try AttackClient(attacked.passwords)
            _ = visitor.open(["nowhere"])
            return visitor.outcome(["Profile": "subChanges", "collection": "0"])
        }
        report.attack("a collection by a path", "[null]") {
            try AttackClient(attacked.passwords).open(["../_default"])
        }
        report.attack("a collection's index out of range", "HTTP/400") {
            let visitor = try AttackClient(attacked.passwords)
            _ = visitor.open()
            return visitor.outcome(["Profile": "subChanges", "collection": "7"])
        }
    }

    private func runHeaders() {
        let right = Request.basic("ada:\(Secrets.password)")
        let token = right.dropFirst(6)
        let bad: [(String, String)] = [
            ("a scheme alone", "Basic"), ("a scheme and a space", "Basic "),
            ("no Base64", "Basic !!!"), ("Base64 without a colon", Request.basic("ada")),
            ("an empty pair", Request.basic(":")), ("another scheme", "Bearer \(token)"),
            ("no scheme", String(token)), ("rubbish behind it", right + " x"),
            ("one padding too many", right + "="), ("a cut", String(right.dropLast(3))),
            ("URL-safe Base64", "Basic " + token.replacingOccurrences(of: "=", with: "-")),
            ("a comma list", right + ", " + right), ("the wrong password", wrong),
            ("a tab instead of a space", "Basic\t\(token)"),
        ]
        for (name, value) in bad {
            report.attack("Authorization with \(name)", "401") {
                try status(Request(path: path, authorization: value))
            }
        }
        report.attack("Authorization of 10 KB", "401", "431") {
            let long = "Basic " + String(repeating: "QUFB", count: 2_500)
            return try status(Request(path: path, authorization: long))
        }
        report.attack("no Authorization", "401") { try status(Request(path: path)) }
        report.attack("a replayed session cookie instead", "401") {
            let cookie = "Cookie: SyncGatewaySession=\(Secrets.cookie)"
            return try status(Request(path: path, authorization: nil, further: [cookie]))
        }
        report.attack("the right header in small letters of the scheme", "101") {
            try status(Request(path: path, authorization: "basic \(token)"))
        }
    }

    private func runEncodings() {
        let password = Secrets.password
        let utf16 = Data("ada:\(password)".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        let forms: [(String, String)] = [
            ("in UTF-16", "Basic " + utf16.base64EncodedString()),
            ("with a NUL behind", Request.basic("ada:\(password)\0")),
            ("with a line end behind", Request.basic("ada:\(password)\n")),
            ("with a space behind", Request.basic("ada:\(password) ")),
            ("in capitals", Request.basic("ada:\(password.uppercased())")),
            ("with full-width letters", Request.basic("ａda:\(password)")),
            ("percent-escaped", Request.basic("ada:%6c" + password.dropFirst())),
            ("encoded twice", Request.basic(Request.basic("ada:\(password)"))),
            ("user name with a byte-order mark", Request.basic("\u{FEFF}ada:\(password)")),
        ]
        for (name, value) in forms {
            report.attack("right credentials \(name)", "401") {
                try status(Request(path: path, authorization: value))
            }
        }
    }

    /// The time of a comparison must not reveal how much of a guess was correct.
    private func runTiming() {
        let secret = Array(repeating: UInt8(7), count: 4_096)
        var early = secret
        early[0] = 8
        var late = secret
        late[4_095] = 8
        var times: [[Double]] = [[], []]
        for _ in 0..<3_000 {
            for (index, guess) in [early, late].enumerated() {
                let start = ContinuousClock.now
                let isEqual = isEqualInConstantTime(secret.span, guess.span)
                times[index].append((ContinuousClock.now - start) / .nanoseconds(1))
                if isEqual { times[index].append(.infinity) }
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] }
        let ratio = medians[0] / medians[1]
        report.claim(
            "comparing a guess that is wrong at its first or at its last byte",
            "takes the same time (ratio \(String(format: "%.3f", ratio)))",
            ratio > 0.9 && ratio < 1.1
        )
    }

    private func runProtocols() {
        let port = attacked.passwords.port
        let clear = attacked.readOnly.port
        report.attack("plain HTTP on the TLS port", "ended") {
            let wire = try Wire(to: port, from: Sources.next())
            wire.sendRaw(Request(path: path, user: "ada").bytes)
            return wire.isEnded() ? "ended" : "open"
        }
        report.attack("an HTTP/2 preface on the clear port", "400") {
            try answer(clear, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        }
        report.attack("an HTTP/2 preface inside TLS", "400") {
            let wire = try Wire(to: port, from: Sources.next())
            try wire.startTLS()
            wire.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
            return Request.status(wire.receive()).map(String.init) ?? "ended"
        }
        report.attack("a TLS hello on the clear port", "400", "ended") {
            try answer(clear, "\u{16}\u{03}\u{01}\u{02}\0\u{01}\0\u{01}\u{7F}\u{03}\u{03}\r\n\r\n")
        }
        report.attack("a page asked for", "404", "400") {
            try answer(clear, "GET /attacked HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        report.attack("a POST", "405", "400") {
            try answer(clear, "POST /attacked/_blipsync HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        report.attack("bare line feeds", "400") {
            try answer(clear, "GET /attacked/_blipsync HTTP/1.1\nHost: a\n\n")
        }
        report.attack("a request smuggled behind another", "400", "404") {
            try answer(
                clear,
                "GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nTransfer-Encoding: chunked"
                    + "\r\n\r\n0\r\n\r\nGET /attacked/_blipsync HTTP/1.1\r\n\r\n"
            )
        }
        report.attack("a head of 20 KB", "431") {
            try answer(clear, "GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))")
        }
        report.attack("an SSH greeting", "400", "ended") { try answer(clear, "SSH-2.0-x\r\n\r\n") }
    }

    private func answer(_ port: UInt16, _ text: String) throws -> String {
        let wire = try Wire(to: port, from: Sources.next())
        wire.sendRaw(Array(text.utf8))
        return Request.status(wire.receiveRaw()).map(String.init) ?? "ended"
    }

    private var path: String { "/attacked/_blipsync" }
    private var wrong: String { Request.basic("ada:\(Secrets.wrongPassword)") }
}

/// Source addresses, so that one attack's failed logins do not delay the next.
enum Sources {
    // Used only by the program's one attacking thread.
    private nonisolated(unsafe) static var last = 10

    static func next() -> String {
        last += 1
        return "127.0.\(1 + last / 250).\(1 + last % 250)"
    }
}
