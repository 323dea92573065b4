import DivanCommandLine

/// A listener without authentication that other machines can reach.
enum OpenListenerWarning {
    /// The warning about it; `nil` if it authenticates peers, or only this machine can connect.
    static func warning(_ arguments: Arguments, _ gate: PeerAccess) -> String? {
        guard gate.authenticator == nil else { return nil }
        let interface = arguments.value("--interface")
        if let interface, isLoopback(interface) { return nil }
        let rights = arguments.has("--read-only") ? "read" : "read and change"
        return "no authentication: anyone who can connect to \(interface ?? "this machine") can "
            + "\(rights) the shared data; use '--users', '--client-ca' or "
            + "'--client-certificate', or '--interface 127.0.0.1'"
    }

    private static func isLoopback(_ interface: String) -> Bool {
        interface == "lo" || interface == "::1" || interface == "localhost"
            || interface.hasPrefix("127.")
    }
}
