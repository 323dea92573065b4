import DivanTestKit
import Foundation
import Testing

/// `divan upgrade`, and what `info` and `revs` say afterwards.
@Suite struct UpgradeTests {
    private let shell: Shell

    init() throws {
        shell = try Shell()
    }

    @Test func `upgrade converts a database once, and revs shows versions`() throws {
        try shell.run("new", "db")
        try shell.run("put", "db", "one", #"{"n":1}"#)
        #expect(try shell.run("info", "db", "--json").json()["revisions"] as? String == "trees")
        try shell.divan("upgrade", "db").expectFailure(2, "cannot be undone", "add '--yes'")
        #expect(try shell.run("info", "db", "--json").json()["revisions"] as? String == "trees")
        #expect(
            try shell.run("upgrade", "db", "--yes").errors
                == "The database now uses version vectors\n"
        )
        #expect(try shell.run("upgrade", "db").errors.contains("already"))
        #expect(try shell.run("info", "db", "--json").json()["revisions"] as? String == "vectors")
        #expect(try shell.run("revs", "db", "one").output.hasPrefix("● 1-"))
        try shell.run("put", "db", "one", #"{"n":2}"#)
        let drawing = try shell.run("revs", "db", "one").output
        #expect(drawing.contains(" by this database  current") && drawing.contains("  after   1-"))
    }
}
