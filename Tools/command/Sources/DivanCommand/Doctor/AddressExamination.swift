import DivanCommandLine
import DivanPlatform

/// Looks up a host and connects to its addresses, and reports both.
struct AddressExamination {
    private static let addressCount = 8

    private let patience: Int
    private let isProxy: Bool
    private let show: (Finding) -> Void

    /// Waits `patience` seconds for each address, at most 5.
    init(patience: Int, isProxy: Bool = false, _ show: @escaping (Finding) -> Void) {
        self.patience = min(patience, 5)
        self.isProxy = isProxy
        self.show = show
    }

    /// Looks the name up and connects; false if that fails.
    func reach(_ host: String, _ port: UInt16) -> Bool {
        let begin = DispatchTimeStamp.now()
        let addresses: [String]
        switch AddressProbe.lookUp(host, port) {
        case .success(let found): addresses = found
        case .failure(let problem):
            show(
                .failed(
                    isProxy ? "proxy" : "name",
                    "\(subject)\(host): \(problem.text)",
                    "check the spelling, the network and the DNS server: 'getent hosts \(host)'",
                    .unreachable
                )
            )
            return false
        }
        let time = begin.milliseconds
        let found = "\(subject)\(host) resolves to \(addresses.joined(separator: ", "))"
        show(.ok("name", "\(found) (\(time) ms)"))
        return reach(addresses, port) != nil
    }

    private var subject: String { isProxy ? "the proxy " : "" }

    /// Connects to addresses as text; returns the first that accepts the connection.
    func reach(_ addresses: [String], _ port: UInt16) -> String? {
        let reaches = addresses.prefix(Self.addressCount).map {
            AddressProbe.reach($0, port, seconds: patience)
        }
        guard let best = reaches.first(where: { $0.problem == nil }) else {
            show(unreachable(reaches, port))
            return nil
        }
        let unreachable = reaches.filter { $0.problem != nil }.map(\.address)
        let seen =
            "\(subject)\(best.address) port \(port) accepts connections (\(best.milliseconds) ms)"
        if unreachable.isEmpty {
            show(.ok("tcp", seen))
        } else {
            let names = unreachable.joined(separator: ", ")
            let remedy = "correct the addresses of the host name"
            show(.warning("tcp", "\(seen), but not \(names)", remedy))
        }
        return best.address
    }

    private func unreachable(
        _ reaches: [AddressProbe.ConnectionAttempt],
        _ port: UInt16
    ) -> Finding {
        let problems = reaches.map { reach in
            "\(reach.address) port \(port): \(reach.problem ?? .none)"
        }
        let remedy =
            switch reaches.first?.problem {
            case .connectionRefused?: "start the server, or correct the port"
            case .timedOut?: "check the address, firewalls and the server's machine"
            default: "check this machine's network and routes: 'ip route get ADDRESS'"
            }
        let step = isProxy ? "proxy" : "tcp"
        return .failed(step, problems.joined(separator: "; "), remedy, .unreachable)
    }
}
