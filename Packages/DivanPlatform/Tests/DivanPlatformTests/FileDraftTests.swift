import DivanPlatform
import Testing

/// A file gets its name when it is complete.
@Suite struct FileDraftTests {
    private let home: TemporaryDirectory

    init() throws {
        home = try TemporaryDirectory()
    }

    private func write(
        _ text: String,
        _ former: FileStatus? = nil,
        isPrivate: Bool = false
    ) throws
        -> FileDraft
    {
        let draft = try FileDraft(of: home.file("a"), replacing: former, isPrivate: isPrivate)
        try draft.descriptor.writeAll(Array(text.utf8))
        return draft
    }

    private func content() throws -> String {
        let file = try FileDescriptor.open(home.file("a"), [.readOnly])
        defer { file.close() }
        return String(decoding: try file.readAll(limit: 100) ?? [], as: UTF8.self)
    }

    @Test func `a draft is visible only after it is finished`() throws {
        do {
            let draft = try write("lost")
            #expect(!FileSystem.exists(home.file("a")))
            _ = draft
        }
        #expect(try FileSystem.names(in: home.path).isEmpty)
        try write("one").finish(isDurable: true)
        #expect(try content() == "one")
        try write("two").finish(isDurable: false)
        #expect(try content() == "two")
        #expect(try FileSystem.names(in: home.path) == ["a"])
    }

    @Test func `a draft keeps the permissions of the replaced file unless it is private`() throws {
        for (isPrivate, expected) in [(false, 0o640), (true, 0o600)] as [(Bool, UInt32)] {
            try write("one").finish(isDurable: false)
            try FileSystem.setPermissions(0o640, of: home.file("a"))
            let former = try FileStatus(of: home.file("a"))
            try write("two", former, isPrivate: isPrivate).finish(isDurable: false)
            #expect(try FileStatus(of: home.file("a")).permissions & 0o777 == expected)
        }
    }

    @Test func `a draft that must not replace a file fails if it exists`() throws {
        try write("one").finish(isReplacing: false, isDurable: true)
        let second = try write("two")
        let error = #expect(throws: SystemError.self) {
            try second.finish(isReplacing: false, isDurable: true)
        }
        #expect(error?.errno == .fileExists)
        #expect(try content() == "one")
    }

    @Test func `the directory of a path is found by bytes`() {
        #expect(FileSystem.directory(of: "a") == ".")
        #expect(FileSystem.directory(of: "/a") == "/")
        #expect(FileSystem.directory(of: "b/../c/a") == "b/../c")
        #expect(FileSystem.directory(of: "b/\u{301}a") == "b")
    }
}
