import CouchbaseLiteSwift
import DivanBLIP
import DivanCommandLine
import DivanTransport

/// The findings of an established connection: the protocol, the collections, the rights, the latency.
struct ProtocolFindings {
    private let report: ProtocolProbe.Report
    private let names: [CollectionName]
    private let database: String
    private let show: (Finding) -> Void

    init(
        _ report: ProtocolProbe.Report,
        _ names: [CollectionName],
        database: String,
        _ show: @escaping (Finding) -> Void
    ) {
        self.report = report
        self.names = names
        self.database = database
        self.show = show
    }

    func reportAll() {
        guard let peer = report.peer else { return }
        let milliseconds = report.openTime.map { Int($0 / .milliseconds(1)) } ?? 0
        show(.ok("websocket", "connected after \(milliseconds) ms, access granted"))
        show(ClockFinding(peer.headers).finding)
        guard reportProtocol(peer), reportCollections() else { return }
        reportRights()
        reportLatency()
        if let finding = ThroughputFinding(report).finding { show(finding) }
    }

    private func reportProtocol(_ peer: TransportPeer) -> Bool {
        let name = peer.subprotocol ?? "none"
        guard name.contains("CBMobile_") else {
            show(
                .failed(
                    "protocol",
                    "the server chose \(name), which is not a sync protocol",
                    "check that the URL is that of a Sync Gateway or Divan, and its version",
                    .unreachable
                )
            )
            return false
        }
        let meaning = name.contains("CBMobile_4") ? "version vectors" : "revision trees"
        show(.ok("protocol", "\(name): \(meaning)"))
        if let breach = report.breach {
            show(.failed("protocol", breach, "check the server's log", .unreachable))
            return false
        }
        return true
    }

    private func reportCollections() -> Bool {
        if let refusal = report.refusal, refusal.code == 404, refusal.domain == "BLIP" {
            show(.ok("collections", "the server supports only the default collection"))
            return false
        }
        if let refusal = report.refusal {
            let remedy = "check the server's log"
            show(.failed("collections", "refused: \(refusal.words)", remedy, .refused))
            return false
        }
        guard let shares = report.shares, shares.count == names.count else {
            let seen = report.waitsFor.map { "no reply to \($0)" } ?? "no list received"
            show(.failed("collections", seen, "check the server's log", .unreachable))
            return false
        }
        let missing = zip(names, shares).filter { !$0.1 }.map(\.0.description)
        guard missing.isEmpty else {
            show(
                .failed(
                    "collections",
                    "\(database) does not share \(missing.joined(separator: ", "))",
                    "create or share it on the server, or use '--collections' to choose others",
                    .notFound
                )
            )
            return false
        }
        show(.ok("collections", "shared: \(names.map(\.description).joined(separator: ", "))"))
        return true
    }

    private func reportRights() {
        for (index, name) in names.enumerated() {
            guard let rights = report.rights[index] else { continue }
            if let refusal = rights.readRefusal {
                let remedy =
                    refusal.revisionSchemeRemedy ?? "ask for read access, or use 'divan push' only"
                show(.warning("reading", "\(name): refused, \(refusal.words)", remedy))
            } else if let count = rights.changeCount {
                let changes =
                    count >= 200 ? "\(count) or more changes" : Numbers.count(count, "change")
                show(.ok("reading", "\(name): \(changes) to pull"))
            } else {
                let remedy = "the server may be busy; check its log"
                show(.warning("reading", "\(name): no list of changes received", remedy))
            }
            if let refusal = rights.writeRefusal {
                let remedy =
                    refusal.revisionSchemeRemedy ?? "ask for write access, or use 'divan pull' only"
                show(.warning("writing", "\(name): refused, \(refusal.words)", remedy))
            } else {
                show(.ok("writing", "\(name): new documents are accepted"))
            }
        }
    }

    private func reportLatency() {
        let times = report.roundTrips.sorted()
        guard !times.isEmpty else { return }
        let median = times[times.count / 2] / .milliseconds(1)
        let text = "\((median * 10).rounded() / 10) ms per round trip"
        if median > 300 {
            let remedy = "high latency: syncs start slowly; '--compression' helps"
            show(.warning("way", text, remedy))
        } else {
            show(.ok("way", text))
        }
    }
}

extension BLIPRemoteError {
    /// The remedy if the peer's database has another revision scheme.
    fileprivate var revisionSchemeRemedy: String? {
        domain == "HTTP" && code == 501
            ? "both databases must use revision trees, or both version vectors" : nil
    }

    fileprivate var words: String {
        "\(domain) \(code)" + (message.isEmpty ? "" : " “\(message)”")
    }
}
