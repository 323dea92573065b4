import Divan
import DivanBLIP
import DivanCommandLine
import DivanTransport

/// What an established connection shows: the protocol, the collections, the rights, the latency.
struct ProtocolFindings {
    private let report: ProtocolProbe.Report
    private let names: [CollectionName]
    private let database: String
    private let tell: (Finding) -> Void

    init(
        _ report: ProtocolProbe.Report,
        _ names: [CollectionName],
        database: String,
        _ tell: @escaping (Finding) -> Void
    ) {
        self.report = report
        self.names = names
        self.database = database
        self.tell = tell
    }

    func tellAll() {
        guard let peer = report.peer else { return }
        let milliseconds = report.openTime.map { Int($0 / .milliseconds(1)) } ?? 0
        tell(.ok("websocket", "open after \(milliseconds) ms; the server let us in"))
        tell(ClockFinding(peer.headers).finding)
        guard tellProtocol(peer), tellCollections() else { return }
        tellRights()
        tellWay()
        if let finding = ThroughputFinding(report).finding { tell(finding) }
    }

    private func tellProtocol(_ peer: TransportPeer) -> Bool {
        let name = peer.subprotocol ?? "none"
        guard name.contains("CBMobile_") else {
            tell(
                .failed(
                    "protocol",
                    "the server agreed on \(name), which is no sync protocol",
                    "the URL leads to another service, or the server is too old",
                    .unreachable
                )
            )
            return false
        }
        let meaning = name.contains("CBMobile_4") ? "version vectors" : "revision trees"
        tell(.ok("protocol", "\(name): \(meaning)"))
        if let breach = report.breach {
            tell(.failed("protocol", breach, "see the server's log", .unreachable))
            return false
        }
        return true
    }

    private func tellCollections() -> Bool {
        if let refusal = report.refusal, refusal.code == 404, refusal.domain == "BLIP" {
            tell(.ok("collections", "the server knows the default collection only"))
            return false
        }
        if let refusal = report.refusal {
            tell(.failed("collections", "refused: \(refusal.words)", "see its log", .refused))
            return false
        }
        guard let shares = report.shares, shares.count == names.count else {
            let waits = report.waitsFor.map { "no answer to \($0)" } ?? "no list came"
            tell(.failed("collections", waits, "see the server's log", .unreachable))
            return false
        }
        let missing = zip(names, shares).filter { !$0.1 }.map(\.0.description)
        guard missing.isEmpty else {
            tell(
                .failed(
                    "collections",
                    "\(database) has no \(missing.joined(separator: ", ")) for us",
                    "create or share it there, or name others with --collections",
                    .notFound
                )
            )
            return false
        }
        tell(.ok("collections", "shared: \(names.map(\.description).joined(separator: ", "))"))
        return true
    }

    private func tellRights() {
        for (index, name) in names.enumerated() {
            guard let rights = report.rights[index] else { continue }
            if let refusal = rights.readRefusal {
                let remedy = "ask for the right to read, or use divan push"
                tell(.warning("reading", "\(name): refused, \(refusal.words)", remedy))
            } else if let count = rights.changeCount {
                let more = count >= 200 ? " or more" : ""
                tell(.ok("reading", "\(name): \(Numbers.grouped(count))\(more) changes to pull"))
            } else {
                let remedy = "the server is busy with its feed; see its log"
                tell(.warning("reading", "\(name): no list of changes came", remedy))
            }
            if let refusal = rights.writeRefusal {
                let remedy = "ask for the right to write, or use divan pull"
                tell(.warning("writing", "\(name): refused, \(refusal.words)", remedy))
            } else {
                tell(.ok("writing", "\(name): a new document may be proposed"))
            }
        }
    }

    private func tellWay() {
        let times = report.roundTrips.sorted()
        guard !times.isEmpty else { return }
        let median = times[times.count / 2] / .milliseconds(1)
        let text = "\((median * 10).rounded() / 10) ms for a question and its answer"
        if median > 300 {
            tell(.warning("way", text, "a long way: expect slow starts; compression helps"))
        } else {
            tell(.ok("way", text))
        }
    }
}

extension BLIPRemoteError {
    fileprivate var words: String {
        "\(domain) \(code)" + (message.isEmpty ? "" : " “\(message)”")
    }
}
