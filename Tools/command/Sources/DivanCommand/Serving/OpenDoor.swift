import DivanCommandLine
import Glibc

/// A listener without authentication that others can reach.
enum OpenDoor {
    /// The warning about it; `nil` if it authenticates, or only this machine can connect.
    static func warning(_ arguments: Arguments, _ gate: PeerGate) -> String? {
        guard gate.authenticator == nil else { return nil }
        let interface = arguments.value("--interface")
        if let interface, isLoopback(interface) { return nil }
        let may = arguments.has("--read-only") ? "read" : "read and write"
        let place = interface.map { "through \($0)" } ?? "through any network of this machine"
        return "everybody who comes \(place) may \(may) all that is shared; ask who they are with "
            + "--users, --client-ca or --client-certificate, or use --interface 127.0.0.1"
    }

    private static func isLoopback(_ interface: String) -> Bool {
        interface == "lo" || interface == "::1" || interface == "localhost"
            || interface.hasPrefix("127.")
    }
}
