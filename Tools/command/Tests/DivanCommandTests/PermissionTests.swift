import DivanTestKit
import Testing

/// What other local users may do with a database: nothing, whatever the process's umask.
@Suite struct PermissionTests {
    @Test(arguments: ["000", "022", "077", "777"])
    func `the files of a database are accessible to their owner only`(mask: String) throws {
        let shell = try Shell()
        // While a reader has it open, the log and its index stay.
        let script = """
            umask \(mask)
            divan new db && divan put db one '{"n":1}' && divan cp db copy
            divan watch db --json >/dev/null & watching=$!
            trap 'kill $watching' EXIT
            until [ -e db.cblite2/db.sqlite3-shm ]; do kill -0 $watching || exit 1; done
            divan put db two '{"n":2}'
            stat -c '%a %n' db.cblite2 db.cblite2/* copy.cblite2 copy.cblite2/*
            """
        let outcome = try shell.bash(script)
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n").filter { $0.contains("cblite2") }
        let modes = lines.filter { $0.first?.isNumber == true }
        #expect(modes.count >= 8, "\(outcome)")
        for line in modes {
            let isDirectory = line.hasSuffix("cblite2") || line.hasSuffix("Attachments")
            #expect(line.hasPrefix(isDirectory ? "700 " : "600 "), "\(line)")
        }
    }
}
