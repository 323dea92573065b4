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
        try start("dbus-daemon", "--config-file=\(bus)", "--nofork", "--print-address")
            .wait(for: ["unix:path"])
        let options = ["--no-drop-root", "--no-chroot", "--no-rlimits", "-f", avahi]
        let text = try start("avahi-daemon", options)
            .wait(for: ["Server startup complete", "already running"])
        guard text.contains("already running") else { return }
        // The system's own is as good; one that a killed test left behind is not.
        guard FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket") else {
            throw Daemon.NotReady(description: "an avahi-daemon of someone else runs; end it")
        }
        environment = [:]
    }

    deinit {
        for daemon in daemons.reversed() { daemon.stop() }
        close(turn)
    }

    private func start(_ name: String, _ words: String...) throws -> Daemon {
        try start(name, words)
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

    private static let avahiConfiguration = """
        [server]
        host-name=divan-test
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

/// A daemon that tells on its output when it is ready.
private final class Daemon {
    private let path: String
    private let identifier: pid_t
    private let output = Pipe()

    struct NotReady: Error, CustomStringConvertible {
        let description: String
    }

    init(_ words: [String], _ environment: [String: String]) throws {
        path = words.first ?? ""
        let writing = output.fileHandleForWriting.fileDescriptor
        identifier = try spawn(words, environment: environment) { actions in
            for stream: Int32 in [1, 2] {
                posix_spawn_file_actions_adddup2(&actions, writing, stream)
            }
        }
        try output.fileHandleForWriting.close()
    }

    /// Reads what the daemon says until one of the texts is there.
    ///
    /// - Throws: `NotReady` when it ends before.
    @discardableResult
    func wait(for texts: [String]) throws -> String {
        var said = ""
        while !texts.contains(where: said.contains) {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw NotReady(description: "\(path) ended: \(said)") }
            said += String(decoding: bytes, as: UTF8.self)
        }
        // Nobody reads on; what it says later must not fill the pipe.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        return said
    }

    /// Ends it in order, and waits for that.
    func stop() {
        output.fileHandleForReading.readabilityHandler = nil
        kill(identifier, SIGTERM)
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
    }
}
