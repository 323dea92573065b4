import DivanTestKit
import Foundation
import Testing

extension MessageArea {
    /// A failed command and what it printed to standard error, or a request and its response.
    struct Entry: Equatable {
        let command: String
        let message: String
        /// The exit code, or the HTTP status.
        let status: Int
    }

    /// Prints a response as its status and its body.
    private static let curl = #"""
        curl() {
            local answer=$(command curl --silent --max-time 60 --write-out '\n%{http_code}' "$@")
            echo "${answer##*$'\n'} ${answer%$'\n'*}" >&2
        }

        """#

    /// Whether the commands are requests.
    var isOfRequests: Bool { commands.hasPrefix("curl ") }

    /// Prepares everything, and runs the commands.
    func run() throws -> [Entry] {
        let shell = try Shell()
        let fixtures = "Packages/DivanCBLite/Tests/Fixtures/cblite2"
        var environment = [
            "FIXTURES": Guide.root.appending(path: fixtures).standardizedFileURL.path,
            "TMPDIR": shell.path("tmp"), "VISUAL": "",
        ]
        try shell.bash("mkdir tmp\n" + preparation, environment: environment).expectSuccess()
        var running: [Peer] = []
        defer { for process in running { process.stop() } }
        for server in servers {
            let process = try shell.start(server.command.split(separator: " ").map(String.init))
            running.append(process)
            try server.wait(for: process, &environment)
        }
        var entries: [Entry] = []
        for line in commands.split(separator: "\n").map(String.init) {
            let outcome = try shell.bash(Self.curl + line, environment: environment)
            let errors = isOfRequests ? outcome.errors : outcome.failure
            let message = MessagePage.masked(errors, in: shell.directory)
            let status = Int(message.prefix { $0.isNumber }) ?? Int(outcome.status)
            entries.append(Entry(command: line, message: message, status: status))
        }
        return entries
    }
}

extension MessageArea: CustomTestStringConvertible {
    var testDescription: String { title }
}

extension MessageArea.Server {
    /// Waits until it listens, and sets the variables with its address and its token.
    fileprivate func wait(for process: Peer, _ variables: inout [String: String]) throws {
        let event = try process.event(named: "listening")
        let urls = event[member] as? [String]
        let url = try #require(urls?.first ?? event[member] as? String)
        let parts = try #require(URLComponents(string: url))
        let (host, port) = (try #require(parts.host), try #require(parts.port))
        variables[name] = "\(host):\(port)"
        if let token = parts.queryItems?.first(where: { $0.name == "token" })?.value {
            variables["cookie"] = "divan-studio-\(port)=\(token)"
        }
    }
}

extension Program.Outcome {
    /// The errors and hints of a command, without warnings and notes.
    fileprivate var failure: String {
        let lines = errors.split(separator: "\n").filter { line in
            line.hasPrefix("hint: ")
                || (line.hasPrefix("divan: ") && !line.hasPrefix("divan: warning: "))
        }
        return lines.joined(separator: "\n")
    }
}
