import DivanPlatform
import Foundation
import Synchronization

/// A running Chromium, and the messages that are exchanged with it.
///
/// Starting one takes a second of processor time. So it stays for the next `Browser` of this process, and ends with the
/// process.
struct Chromium: Sendable {
    private static let patience = 30_000  // milliseconds
    /// Those that no `Browser` uses.
    private static let idle = Mutex<[Chromium]>([])

    private let commands: FileDescriptor
    private let answers: FileDescriptor
    private var received: [UInt8] = []
    private var searchedCount = 0
    private var lastID = 0

    /// A snap's Chromium cannot see files that a test creates.
    static var installed: Program? {
        Program.installed("chromium").flatMap { $0.path.hasPrefix("/snap/") ? nil : $0 }
    }

    /// An idle one, or a new one.
    static func any() throws -> Chromium {
        try idle.withLock { $0.popLast() } ?? Chromium()
    }

    /// Keeps it for the next `Browser`.
    func keep() {
        Self.idle.withLock { $0.append(self) }
    }

    private init() throws {
        guard let program = Self.installed else {
            throw Browser.Failure(
                description: "chromium is not installed; run Tools/scripts/setup"
            )
        }
        let folder = try FileSystem.makeTemporaryDirectory(
            in: CurrentProcess.variable("TMPDIR") ?? "/tmp",
            prefix: "divan-test-"
        )
        let pipes = ["\(folder)/commands", "\(folder)/answers"]
        for pipe in pipes { try FileSystem.makePipe(pipe) }
        // Both ends are opened here, so that opening one does not wait for the other program.
        commands = try FileDescriptor.open(pipes[0], [.readWrite, .closeOnExec])
        answers = try FileDescriptor.open(pipes[1], [.readWrite, .closeOnExec])
        var options = [
            "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
            "--disable-dev-shm-usage", "--disable-background-networking", "--disable-extensions",
            "--user-data-dir=\(folder)/profile", "--window-size=1280,800",
        ]
        // Chromium's sandbox does not work as root.
        if CurrentProcess.effectiveUser == 0 { options.append("--no-sandbox") }
        // It ends when its commands do, even if this process is killed; then the shell removes its files.
        let script = """
            program=$1 folder=$2; shift 2
            "$program" "$@" 3<"$folder/commands" 4>"$folder/answers"
            rm -rf "$folder"
            """
        let null = try FileDescriptor.open("/dev/null", [.readWrite, .closeOnExec])
        defer { null.close() }
        _ = try ChildProcess.spawn(
            "/bin/bash",
            ["bash", "-c", script, "bash", program.path, folder] + options,
            descriptors: [(null, as: .standardOutput), (null, as: .standardError)],
            signals: .defaults
        )
    }

    /// Ends the browser.
    func end() {
        commands.close()
        answers.close()
    }

    /// Calls a method, and waits for its result.
    ///
    /// - Parameters:
    ///   - method: Its name.
    ///   - parameters: What it needs.
    ///   - session: The page that it is for; `nil` for the browser.
    ///   - event: Receives what the page reports meanwhile.
    /// - Returns: The result.
    /// - Throws: `Browser.Failure`, also for an error of the method, and the system's error.
    mutating func call(
        _ method: String,
        _ parameters: [String: Any] = [:],
        in session: String? = nil,
        event: (BrowserValue) -> Void = { _ in }
    ) throws -> BrowserValue {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let bytes = Array(BrowserValue(message).text.utf8) + [0]
        try commands.writeAll(bytes)
        while true {
            let answer = try next()
            guard answer["id"]?.int == lastID else {
                // Those of a page that another `Browser` had are late.
                if answer["sessionId"]?.string == session { event(answer) }
                continue
            }
            if let error = answer["error"] {
                throw Browser.Failure(description: "\(method): \(error.text)")
            }
            return answer["result"] ?? BrowserValue(NSNull())
        }
    }

    /// The next message; each ends in a zero byte.
    private mutating func next() throws -> BrowserValue {
        while true {
            if let end = received[searchedCount...].firstIndex(of: 0) {
                let message = Array(received[..<end])
                received.removeFirst(end + 1)
                searchedCount = 0
                return BrowserValue(try JSONSerialization.jsonObject(with: Data(message)))
            }
            searchedCount = received.count
            let events = try answers.wait(for: .reading, milliseconds: Int32(Self.patience))
            guard !events.isEmpty else {
                throw Browser.Failure(
                    description: "no response from Chromium for \(Self.patience) ms"
                )
            }
            let piece = try answers.read(upTo: 1 << 16)
            guard !piece.isEmpty else { throw Browser.Failure(description: "Chromium exited") }
            received += piece
        }
    }
}
