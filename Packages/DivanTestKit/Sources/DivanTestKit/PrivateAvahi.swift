import Foundation

/// A D-Bus and an Avahi daemon of a test's own, which keep to the loopback interface.
///
/// There can be one Avahi daemon on a machine: tests that want one wait for each other, and where
/// the system runs one already, that serves.
public final class PrivateAvahi {
    /// Whether both daemons are installed; `make setup` installs them.
    public static var isInstalled: Bool {
        Program.installed("dbus-daemon") != nil && Program.installed("avahi-daemon") != nil
    }

    /// What a program needs in its environment to find these daemons.
    public private(set) var environment: [String: String] = [:]
    private let folder: TemporaryDirectory
    private let turn: Int32
    private var daemons: [Daemon] = []

    /// Starts the daemons, as soon as other tests that use their own have stopped them.
    ///
    /// - Throws: What a daemon said instead of being ready.
    public init() throws {
        folder = try TemporaryDirectory()
        turn = open("/tmp/divan-private-avahi.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        flock(turn, LOCK_EX)
        let (bus, avahi) = (folder.file("bus.conf"), folder.file("avahi.conf"))
        let socket = "unix:path=" + folder.file("bus")
        try Data(Self.busConfiguration(socket).utf8).write(to: URL(filePath: bus))
        try Data(Self.avahiConfiguration.utf8).write(to: URL(filePath: avahi))
        environment = ["DBUS_SYSTEM_BUS_ADDRESS": socket]
        try start("dbus-daemon", ["--config-file=\(bus)", "--nofork", "--print-address"])
            .wait(for: ["unix:path"])
        var said = try startAvahi(avahi)
        // Whoever holds the turn has the only one, so this is what a killed test left behind.
        if Self.isOurs(said) {
            _ = try Program.installed("avahi-daemon")?.run(["--kill"])
            said = try startAvahi(avahi)
        }
        guard said.contains("already running") else { return }
        // The system's own is as good.
        guard FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket") else {
            throw Daemon.NotReady(description: "another avahi-daemon runs; end it: \(said)")
        }
        environment = [:]
    }

    deinit {
        for daemon in daemons.reversed() { daemon.stop() }
        close(turn)
    }

    private func startAvahi(_ configuration: String) throws -> String {
        let options = ["--no-drop-root", "--no-chroot", "--no-rlimits", "-f", configuration]
        return try start("avahi-daemon", options)
            .wait(for: ["Server startup complete", "already running"])
    }

    /// Whether the daemon that runs already, as another one said, has the name that ours have.
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
