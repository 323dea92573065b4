import DivanTestKit
import Foundation

/// The attacked process from the attacker's side; its log goes to a file.
struct AttackedProcess {
    let directory: String
    let passwords: Place
    let certificates: Place
    let readOnly: Place
    let log: String

    private let process: RunningProgram

    init(_ directory: String) throws {
        self.directory = directory
        log = directory + "/log"
        try Data().write(to: URL(fileURLWithPath: log))
        process = try Program.current.start(
            ["serve", directory],
            input: .lines,
            errors: .file(log)
        )
        let ports = try process.line().split(separator: " ").compactMap { UInt16($0) }
        guard ports.count == 3 else { throw AttackFailure("the listener told no ports") }
        passwords = Place(port: ports[0], isSecure: true)
        certificates = Place(port: ports[1], isSecure: true)
        readOnly = Place(port: ports[2], isSecure: false)
    }

    var processIdentifier: Int32 { process.processIdentifier }

    var isRunning: Bool { process.isRunning }

    func ask(_ question: String) throws -> String { try process.ask(question) }

    func number(_ question: String) throws -> Int {
        let answer = try ask(question)
        guard let number = Int(answer) else { throw AttackFailure("\(question): \(answer)") }
        return number
    }
}
