import Divan
import Foundation

/// A peer of the room at one address.
struct Neighbour: Sendable {
    let name: String
    let url: URL
    let fingerprint: String?
    let database: Database
    let password: String
    let pins: Pins
    let report: @Sendable (String) -> Void

    /// Syncs with the peer until the task is cancelled, unless another peer was pinned under this name.
    func meet() async {
        report("found \(name) at \(url)")
        if let known = pins.certificate(of: name) { return await sync(trusting: known) }
        guard let shown = await look() else { return }
        guard shown.fingerprint == fingerprint else { return refuse() }
        try? pins.pin(shown, of: name)
        report("pinned \(name)")
        await sync(trusting: shown)
    }

    /// Connects without trusting the peer, to get its certificate; does not send the password.
    private func look() async -> Certificate? {
        var options = Sync.Options()
        options.maxAttempts = 1
        let sync = Sync(database, with: url, options: options)
        _ = try? await sync.run()
        return sync.peerCertificate
    }

    private func sync(trusting certificate: Certificate) async {
        var options = Sync.Options()
        options.maxRetryDelay = .seconds(5)  // reconnects quickly on a local network
        let login = Sync.Credentials.password("room", password)
        let trust = Sync.Trust.pinned(certificate)
        let sync = Sync(database, with: url, credentials: login, trust: trust, options: options)
        for await status in sync.start() {
            if status.isIdle { report("is in sync with \(name)") }
            guard status.activity == .stopped, let error = status.error else { continue }
            // The advertisement is untrusted; TLS verifies the peer.
            if error.code == .untrusted { return refuse() }
            report("stopped syncing with \(name): \(error)")
        }
    }

    private func refuse() {
        report(
            "refuses \(name): its certificate is not the one that was pinned; "
                + "if \(name) was reinstalled, delete \(pins.file(of: name).path)"
        )
    }
}
