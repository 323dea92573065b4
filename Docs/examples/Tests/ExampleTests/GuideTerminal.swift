import DivanTestKit
import Foundation
import Testing

/// A terminal in a separate folder, for lines of guides.
///
/// `swift run` starts the example that was built with the tests. `guestbook` is the name that the reader
/// uses for it.
struct GuideTerminal {
    private let folder: TemporaryDirectory
    private let environment: [String: String?]

    init(_ environment: [String: String?] = [:]) throws {
        folder = try TemporaryDirectory()
        let stand = """
            #!/bin/bash
            set -eu
            [ "$1" = run ]
            name="${2%-example}-example"
            shift 2
            exec "$BUILT/$name" "$@"
            """
        let built = URL(filePath: Program.built("x").path).deletingLastPathComponent().path
        let command = folder.file("swift")
        try Data(stand.utf8).write(to: URL(filePath: command))
        chmod(command, 0o700)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let own = ["HOME": folder.path, "BUILT": built, "PATH": "\(folder.path):\(path)"]
        self.environment = environment.merging(own) { $1 }
    }

    private var bash: Program {
        Program("/bin/bash", environment: environment, directory: folder.path)
    }

    /// Types a line and waits for its end; returns the lines that it shows.
    func type(_ line: String) throws -> [String] {
        let outcome = try bash.run(["-euc", line])
        #expect(outcome.status == 0, "\(line): \(outcome)")
        return outcome.lines
    }

    /// Types a line whose command runs until its input ends.
    func start(_ line: String) throws -> RunningProgram {
        // A simple command that is the last one replaces its shell.
        try bash.start(
            ["-euc", line],
            input: .lines,
            errors: .amongLines,
            patience: .seconds(40)
        )
    }
}
