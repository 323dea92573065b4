import DivanPlatform
import Foundation

/// A D-Bus and an Avahi daemon for one test, which use only the loopback interface.
///
/// Only one Avahi daemon can run on a machine: tests that need one wait for each other, and if the system already
/// runs one, that is used.
public final class PrivateAvahi {
    /// Whether both daemons are installed; `make setup` installs them.
    public static var isInstalled: Bool {
        Program.installed("dbus-daemon") != nil && Program.installed("avahi-daemon") != nil
    }

    /// The environment variables with which a program finds these daemons.
    public private(set) var environment: [String: String] = [:]
    private let folder: TemporaryDirectory
    private let turn: FileDescriptor
    private var daemons: [Daemon] = []

    /// Starts the daemons, once other tests have stopped theirs.
    ///
    /// - Throws: The daemon's output, if it did not become ready.
    public init() throws {
        folder = try TemporaryDirectory()
        turn = try FileDescriptor.open(
            "/tmp/divan-private-avahi.lock",
            [.readWrite, .create, .closeOnExec],
            permissions: 0o666
        )
        try turn.lock(waits: true)
        let (bus, avahi) = (folder.file("bus.conf"), folder.file("avahi.conf"))
        let socket = "unix:path=" + folder.file("bus")
        try Data(Self.busConfiguration(socket).utf8).write(to: URL(filePath: bus))
        try Data(Self.avahiConfiguration.utf8).write(to: URL(filePath: avahi))
        environment = ["DBUS_SYSTEM_BUS_ADDRESS": socket]
        try start("dbus-daemon", ["--config-file=\(bus)", "--nofork", "--print-address"])
            .wait(for: ["unix:path"])
        var said = try startAvahi(avahi)
        // The holder of the lock has the only one, so this one was left behind by a killed test.
        if Self.isOurs(said) {
            _ = try Program.installed("avahi-daemon")?.run(["--kill"])
            said = try startAvahi(avahi)
        }
        guard said.contains("already running") else { return }
        // The system's own is as good.
        guard FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket") else {
            throw Daemon.NotReady(description: "another avahi-daemon is running; stop it: \(said)")
        }
        environment = [:]
    }

    deinit {
        for daemon in daemons.reversed() { daemon.stop() }
        turn.close()
    }

    private func startAvahi(_ configuration: String) throws -> String {
        let options = ["--no-drop-root", "--no-chroot", "--no-rlimits", "-f", configuration]
        return try start("avahi-daemon", options)
            .wait(for: ["Server startup complete", "already running"])
    }

    /// Whether the running daemon, named in another one's output, has the host name that ours have.
    private static func isOurs(_ said: String) -> Bool {
        guard let number = said.firstMatch(of: /already running on PID (\d+)/)?.output.1,
            let title = try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8)
        else { return false }
        return title.hasPrefix("avahi-daemon: running [\(hostName)")
    }

    private func start(_ name: String, _ words: [String]) throws -> Daemon {
        let path = Program.installed(name)?.path ?? name
        let daemon = try Daemon([path] + words, environment)
        daemons.append(daemon)
        return daemon
    }

    private static func busConfiguration(_ socket: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>system</type>
          <listen>\(socket)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
            <allow user="*"/>
          </policy>
        </busconfig>
        """
    }

    private static let hostName = "divan-test"

    private static let avahiConfiguration = """
        [server]
        host-name=\(hostName)
        allow-interfaces=lo
        use-ipv4=yes
        use-ipv6=no
        allow-point-to-point=yes
        enable-dbus=yes
        [publish]
        publish-workstation=no
        [rlimits]
        """
}
