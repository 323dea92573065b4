import DivanBLIP
import Foundation

/// A listener that is stopped, restarted or closed at every stage of a connection.
struct LifeAttacks {
    let attacked: AttackedProcess
    let report: Report

    private enum Stage: String, CaseIterable {
        case connected = "a bare connection"
        case shaking = "half a TLS handshake"
        case secure = "a TLS session"
        case asking = "half a request"
        case upgraded = "an open connection"
        case pulling = "a pull under way"
    }

    func run() {
        report.heading("Stopped, restarted, closed")
        for verb in ["stop", "restart", "close"] {
            for stage in Stage.allCases {
                report.attack("\(verb) at \(stage.rawValue)", "ended, then served again") {
                    try run(verb, at: stage)
                }
            }
        }
        IdentityAttacks(directory: attacked.directory, report: report).run()
    }

    private func run(_ verb: String, at stage: Stage) throws -> String {
        let port = attacked.passwords.port
        var isEnded: () -> Bool
        switch stage {
        case .upgraded, .pulling:
            let visitor = try AttackClient(attacked.passwords, from: Sources.next())
            _ = visitor.open()
            if stage == .pulling {
                visitor.flood(
                    1,
                    ["Profile": "subChanges", "collection": "0", "continuous": "true"]
                )
            }
            isEnded = {
                visitor.waitForEnd() == (verb == "restart" ? "closed 4001" : "closed 1001")
            }
        default:
            // Half of the listener's handshake timeout, which would end it too.
            let wire = try Wire(to: port, from: Sources.next(), timeout: 2)
            if stage == .shaking { wire.sendRaw([0x16, 3, 1, 2, 0, 1, 0]) }
            if stage == .secure || stage == .asking { try wire.startTLS() }
            if stage == .asking { wire.send(Array("GET /attacked/_blip".utf8)) }
            isEnded = { wire.isEnded() }
        }
        let answer = try attacked.ask(verb)
        guard answer == "ok" else { return answer }
        let hasEnded = isEnded()
        if verb == "stop" { _ = try attacked.ask("start") }
        let again = try AttackClient(attacked.passwords, from: Sources.next())
        let isServed = again.open().hasPrefix("[{")
        return (hasEnded ? "ended" : "kept") + (isServed ? ", then served again" : ", not served")
    }
}
