import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// The rule for databases without a directory; internal, because it reads the environment.
@Suite struct DefaultDirectoryTests {
    @Test(arguments: [
        (["DIVAN_DIRECTORY": "/data", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/data"),
        (["DIVAN_DIRECTORY": "relative", "HOME": "/h"], "relative"),
        (["DIVAN_DIRECTORY": "", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/CouchbaseLite"),
        (["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/CouchbaseLite"),
        (["HOME": "/h"], "/h/.local/share/CouchbaseLite"),
        (["HOME": ""], NSHomeDirectory() + "/.local/share/CouchbaseLite"),
        (["HOME": "x"], NSHomeDirectory() + "/.local/share/CouchbaseLite"),
    ])
    func `DIVAN_DIRECTORY takes precedence over XDG_DATA_HOME, then the home directory`(
        _ environment: [String: String],
        _ expected: String
    ) {
        #expect(DatabaseConfiguration.defaultDirectory { environment[$0] } == expected)
    }

    @Test func `without any of them the current directory is used`() throws {
        #expect(try DatabaseLocation(name: "db", directory: "").bundlePath == "db.cblite2")
        #expect(try DatabaseLocation(name: "a/b", directory: "/").bundlePath == "/a:b.cblite2")
        #expect(
            try DatabaseLocation(name: "\u{301}", directory: "x").bundlePath == "x/\u{301}.cblite2"
        )
    }
}
