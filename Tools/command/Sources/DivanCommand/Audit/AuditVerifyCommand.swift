import DivanAudit
import DivanCommandLine
import DivanJSON

/// `divan audit verify`.
enum AuditVerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "audit verify",
        summary: "verify that no line of an audit log was changed",
        operands: [.init(name: "FILE", isRepeating: true, completion: .file)],
        options: [
            .value("--key-file", "FILE", completion: .file, "key of divan serve --audit-key-file"),
            .value("--head", "CODE", "require the line with this code, as the server printed it"),
            .json,
        ],
        details: """
            Reports the first line that was changed, removed, inserted or moved, with exit code 5.
            Without --head, lines that are missing at the end are not noticed.

            Give rotated files in the order in which they were written. Without a key, anyone who
            can write the file can also forge its codes.
            """,
        examples: [
            "divan audit verify audit.log --key-file audit.key",
            "divan audit verify audit.log.1 audit.log --key-file audit.key --head 5f2a…",
        ]
    )

    static func run(_ arguments: Arguments, _ terminal: Terminal) throws {
        guard !arguments.operands.isEmpty else {
            throw Failure.usage("divan audit verify: missing argument FILE")
        }
        let head = try arguments.value("--head").map(code)
        let key = try arguments.value("--key-file").map { path throws(Failure) in
            try AuditKeyFile.read(path, terminal)
        }
        var check = AuditCheck(key: key, head: head)
        for file in arguments.operands where check.finding == nil {
            do {
                try check.check(file)
            } catch {
                throw Failure(error)
            }
        }
        check.finish()
        report(check, terminal)
        if let finding = check.finding { throw failure(finding, arguments) }
    }

    private static func code(_ text: String) throws(Failure) -> AuditCode {
        guard let code = AuditCode(text) else {
            throw .usage(
                "invalid value '\(text.prefix(80))' for '--head'",
                hint: "use the 64 digits that 'divan serve --audit' printed"
            )
        }
        return code
    }

    private static func report(_ check: AuditCheck, _ terminal: Terminal) {
        if terminal.isJSON {
            terminal.result(JSON.object(members(check)).canonicalText)
        } else if let finding = check.finding {
            terminal.result("\(finding)".escapingControlCharacters())
        } else {
            let times = check.times.map { " from \($0.first) to \($0.last)" }
            let head = check.position.map { ", head \($0.code)" }
            let former = check.continuedCode.map { "; continues the file that ends with \($0)" }
            terminal.result(
                ("Intact: \(Numbers.count(check.lineCount, "line"))" + times.orEmpty + head.orEmpty
                    + former.orEmpty).escapingControlCharacters()
            )
        }
    }

    private static func members(_ check: AuditCheck) -> JSONObject {
        var members: JSONObject = ["lines": JSON(check.lineCount)]
        members["first"] = check.times.map { .string($0.first) }
        members["last"] = check.times.map { .string($0.last) }
        members["head"] = check.position.map { .string($0.code.description) }
        members["continues"] = check.continuedCode.map { .string($0.description) }
        guard let finding = check.finding else { return members }
        var found: JSONObject = ["problem": .string(finding.problem)]
        found["file"] = finding.path.map { .string($0) }
        found["line"] = finding.line > 0 ? JSON(finding.line) : nil
        members["finding"] = .object(found)
        return members
    }

    private static func failure(_ finding: AuditFinding, _ arguments: Arguments) -> Failure {
        let subject = finding.path ?? "the audit log"
        let hint =
            switch finding.reason {
            case .misfit(.needsKey): "use '--key-file FILE'"
            case .misfit(.notAuditLog),
                .notALine where finding.line == 1:
                "use a file that 'divan serve --audit' wrote"
            case .misfit(.hasNoKey): "leave out '--key-file'"
            case .misfit(.otherKey): "use the key with which the server wrote the file"
            case .notContinued: "give the files in the order in which they were written"
            case .incomplete:
                "after a power failure, the next start of 'divan serve' removes and records it"
            default: "keep the file, and compare it with a copy"
            }
        return Failure(
            kind: .database,
            sentence: "\(subject): the audit log is not intact",
            hint: hint
        )
    }
}
