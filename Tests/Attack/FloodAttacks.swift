import DivanBLIP
import Foundation

/// Clients that exhaust resources: sockets, handshakes, time, memory.
struct FloodAttacks {
    let attacked: AttackedProcess
    let report: Report

    func run() {
        report.heading("Floods")
        runSockets()
        runSlow()
        runGuessing()
        runInside()
    }

    private func runSockets() {
        report.attack("a port scan: 300 connections opened and closed", "served") {
            for number in 0..<300 {
                let wire = try Wire(to: attacked.passwords.port, from: "127.0.0.3")
                if number % 2 == 0 { wire.reset() }
            }
            return try served()
        }
        report.attack("1,000 silent connections from one address", "served meanwhile") {
            var wires: [Wire] = []
            for _ in 0..<1_000 {
                if let wire = try? Wire(to: attacked.passwords.port, from: "127.0.0.4") {
                    wires.append(wire)
                }
            }
            let outcome = try served()
            return withExtendedLifetime(wires) { outcome + " meanwhile" }
        }
        report.attack("1,000 connections that log in, from one address", "100 of them") {
            var visitors: [AttackClient] = []
            for _ in 0..<1_000 {
                guard let visitor = try? AttackClient(attacked.passwords, from: "127.0.0.5") else {
                    break
                }
                visitors.append(visitor)
            }
            let count = visitors.count
            return withExtendedLifetime(visitors) { "\(count) of them" }
        }
        report.attack("500 TLS hellos that go no further", "served meanwhile") {
            let hello = Self.hello
            var wires: [Wire] = []
            for number in 0..<500 {
                let source = "127.0.9.\(1 + number % 200)"
                guard let wire = try? Wire(to: attacked.passwords.port, from: source) else {
                    continue
                }
                wire.sendRaw(hello)
                wires.append(wire)
            }
            let outcome = try served()
            return withExtendedLifetime(wires) { outcome + " meanwhile" }
        }
    }

    private func runSlow() {
        report.attack("a TLS hello that drips", "ended in time") {
            try drip(attacked.passwords.port, Self.hello)
        }
        report.attack("a request that drips", "ended in time") {
            try drip(attacked.readOnly.port, Request(path: "/attacked/_blipsync").bytes)
        }
        report.attack("a request that never ends inside TLS", "ended in time") {
            let wire = try Wire(to: attacked.passwords.port, from: "127.0.0.6")
            try wire.startTLS()
            wire.send(Array("GET /attacked/_blipsync HTTP/1.1\r\n".utf8))
            return wire.isEnded() ? "ended in time" : "kept"
        }
    }

    /// One byte every tenth of a second; the listener's timeout is four seconds.
    private func drip(_ port: UInt16, _ bytes: [UInt8]) throws -> String {
        // It must have ended by then; a timeout that restarts with each byte lasts longer.
        let wire = try Wire(to: port, from: "127.0.0.6", timeout: 1)
        for byte in bytes.prefix(48) {
            wire.sendRaw([byte])
            Thread.sleep(forTimeInterval: 0.1)
        }
        return wire.isEnded() ? "ended in time" : "kept"
    }

    private func runGuessing() {
        report.attack("14 guesses of a password from one address", "slowed down") {
            let wrong = Request.basic("ada:\(Secrets.wrongPassword)")
            var statuses: [Int] = []
            let start = Date()
            for _ in 0..<14 {
                let wire = try Wire(to: attacked.passwords.port, from: "127.0.0.7")
                try wire.startTLS()
                wire.send(Request(path: "/attacked/_blipsync", authorization: wrong).bytes)
                statuses.append(Request.status(wire.receive()) ?? 0)
            }
            let isSlow = Date().timeIntervalSince(start) > 0.5
            return isSlow || statuses.contains(429) ? "slowed down" : "\(statuses)"
        }
        report.attack("a good client of another address meanwhile", "served") { try served() }
    }

    private func runInside() {
        report.attack("100,000 requests without waiting for answers", "served") {
            let visitor = try AttackClient(attacked.passwords, from: "127.0.0.8")
            for _ in 0..<100 { visitor.flood(1_000, ["Profile": "nonsense"]) }
            return try served()
        }
        report.attack("a client that pulls and never reads", "served") {
            let visitor = try AttackClient(attacked.passwords, from: "127.0.0.8")
            visitor.flood(1, ["Profile": "getCollections"])
            for _ in 0..<50 { visitor.flood(10, ["Profile": "subChanges"]) }
            let outcome = try served()
            return withExtendedLifetime(visitor) { outcome }
        }
        report.attack("10,000 pings", "served") {
            let visitor = try AttackClient(attacked.passwords, from: "127.0.0.8")
            let ping: [UInt8] = [0x89, 0x80, 1, 2, 3, 4]
            for _ in 0..<100 {
                visitor.sendBytes(Array(repeating: ping, count: 100).flatMap(\.self))
            }
            return try served()
        }
    }

    /// Whether a stranger with the right password gets access.
    private func served() throws -> String {
        let visitor = try AttackClient(attacked.passwords, from: Sources.next())
        return visitor.open().hasPrefix("[{") ? "served" : "not served"
    }

    /// The beginning of a TLS handshake, as far as a client sends it without a reply.
    private static var hello: [UInt8] {
        var hello: [UInt8] = [0x16, 3, 1, 0, 0x2D, 1, 0, 0, 0x29, 3, 3]
        hello += Array(repeating: 7, count: 32)
        return hello + [0, 0, 2, 0x13, 0x01, 1, 0]
    }
}
