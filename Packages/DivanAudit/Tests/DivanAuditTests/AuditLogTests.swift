import DivanAudit
import DivanJSON
import DivanPlatform
import DivanTestKit
import Testing

/// What `AuditLog` does with files: new, existing, incomplete, rotated, foreign.
@Suite struct AuditLogTests {
    private let fixture: AuditFixture

    init() throws {
        fixture = try AuditFixture()
    }

    /// The members of each line.
    private func entries(_ fixture: AuditFixture) throws -> [JSONObject] {
        try fixture.bytes().lines.map { try #require(try JSON(parsing: $0).object) }
    }

    private func events(_ fixture: AuditFixture) throws -> [String] {
        try entries(fixture).map { $0["event"]?.string ?? "" }
    }

    @Test
    func `the README example works`() throws {
        let path = fixture.path
        let secret = Array("32 random bytes, for instance...".utf8)
        let log = try AuditLog(path, key: try AuditKey(secret))
        log.append(.connect, ["user": "anna", "address": "203.0.113.7"])
        log.sync()
        let head = log.position.code

        var check = AuditCheck(key: try AuditKey(secret), head: head)
        try check.check(path)
        check.finish()
        #expect(check.finding == nil && check.lineCount == 2)
    }

    @Test
    func `a new log is readable only by its owner, and contains JSON objects`() throws {
        try fixture.writeSmallLog()
        #expect(try FileStatus(of: fixture.path).permissions == 0o600)
        let entries = try entries(fixture)
        #expect(try events(fixture) == ["begin", "start", "connect", "write", "stop"])
        #expect(entries.map { $0["n"]?.int } == [1, 2, 3, 4, 5])
        #expect(entries.allSatisfy { $0["time"]?.string == "2001-09-09T01:46:40.000Z" })
        #expect(entries[2]["user"]?.string == "anna")
    }

    /// The codes were computed by Python's hashlib and hmac.
    @Test
    func `lines have exactly the documented form`() throws {
        let time = "2001-09-09T01:46:40.000Z"
        for (key, lines) in [
            (
                nil,
                [
                    #"{"audit":"divan","event":"begin","n":1,"time":"\#(time)","version":1,"code":""#
                        + #"0c3a067db4341a44499a3d7b345614082d092a963ea8d49a3495915edf9f67cd"}"#,
                    #"{"event":"stop","n":2,"time":"\#(time)","code":""#
                        + #"57c54808ba8598bcfe9b397b0a1b50b5b37a4cda1d5ffe6d4866afbf3dc41d00"}"#,
                ]
            ),
            (
                AuditFixture.key,
                [
                    #"{"audit":"divan","event":"begin","key":"e109e4068700b5ad","n":1,"#
                        + #""time":"\#(time)","version":1,"code":""#
                        + #"fb6054d21684ccfd790d50c7d2705f79c076beb86db70e69b5e0c0f35a327568"}"#,
                    #"{"event":"stop","n":2,"time":"\#(time)","code":""#
                        + #"654dfc40e3502555de1359267cf417bff7c3a95bbd9d3c8d3bead864aadad4e2"}"#,
                ]
            ),
        ] {
            let fixture = try AuditFixture()
            let log = try fixture.open(key)
            log.append(.stop)
            log.close()
            #expect(try fixture.text() == lines.map { $0 + "\n" }.joined())
        }
    }

    @Test
    func `an existing log is continued`() throws {
        try fixture.writeSmallLog(AuditFixture.key)
        let before = try fixture.bytes()
        try fixture.writeSmallLog(AuditFixture.key)
        let bytes = try fixture.bytes()
        #expect(bytes.starts(with: before) && bytes.lines.count == 9)
        #expect(AuditFixture.finding(in: bytes, AuditFixture.key) == nil)
    }

    @Test
    func `an empty file becomes a log`() throws {
        try fixture.write([])
        try fixture.writeSmallLog()
        #expect(AuditFixture.finding(in: try fixture.bytes()) == nil)
    }

    @Test
    func `an incomplete last line is removed and recorded, wherever it was cut`() throws {
        try fixture.writeSmallLog(AuditFixture.key)
        let bytes = try fixture.bytes()
        let start = bytes.count - bytes.lines[4].count
        for end in start + 1..<bytes.count {
            try fixture.write(Array(bytes[..<end]))
            try fixture.open(AuditFixture.key).close()
            let repaired = try fixture.bytes()
            #expect(repaired.starts(with: bytes[..<start]))
            #expect(AuditFixture.finding(in: repaired, AuditFixture.key) == nil, "cut at \(end)")
            let last = try #require(try entries(fixture).last)
            #expect(last["event"]?.string == "repair", "cut at \(end)")
            #expect(last["removedBytes"]?.int == Int64(end - start))
        }
    }

    @Test
    func `an incomplete first line is only removed if it shows the mark of an audit log`() throws {
        try fixture.open().close()
        let line = try fixture.bytes()
        let mark = Array(#"{"audit":"divan","#.utf8)
        for end in 1..<line.count {
            let part = Array(line[..<end])
            try fixture.write(part)
            if end < mark.count {
                #expect(throws: AuditError.self, "cut at \(end)") { try fixture.open() }
                #expect(try fixture.bytes() == part)
            } else {
                try fixture.open().close()
                #expect(try events(fixture) == ["begin", "repair"], "cut at \(end)")
                #expect(AuditFixture.finding(in: try fixture.bytes()) == nil)
            }
        }
    }

    @Test
    func `a file that is not an audit log is refused and not changed`() throws {
        for text in [
            "x", "\n", "secret\n", "{}\n", #"{"audit":"other"}"#,
            #"{"audit":"divan","a":1}"# + "\n",
            #"{"audit":"divan","a"# + "\n\n", String(repeating: "x", count: 2_000_000),
        ] {
            try fixture.write(Array(text.utf8))
            #expect(throws: AuditError.self, "\(text.prefix(20))") { try fixture.open() }
            #expect(try fixture.text() == text)
        }
    }

    @Test
    func `a log with another key is refused and not changed`() throws {
        for (written, opened, misfit) in [
            (AuditFixture.key, AuditFixture.otherKey, AuditMisfit.otherKey),
            (AuditFixture.key, nil, .needsKey), (nil, AuditFixture.key, .hasNoKey),
        ] {
            let fixture = try AuditFixture()
            try fixture.writeSmallLog(written)
            let bytes = try fixture.bytes()
            let error = #expect(throws: AuditError.self) { try fixture.open(opened) }
            #expect(error?.reason == .misfit(misfit))
            #expect(try fixture.bytes() == bytes)
        }
    }

    @Test
    func `a log whose last line was changed is refused and not changed`() throws {
        try fixture.writeSmallLog(AuditFixture.key)
        let bytes = try fixture.bytes()
        let start = bytes.count - bytes.lines[4].count
        for offset in start..<bytes.count - 1 {
            var changed = bytes
            changed[offset] ^= 1
            try fixture.write(changed)
            let error = #expect(throws: AuditError.self) { try fixture.open(AuditFixture.key) }
            #expect(error?.reason == .changed, "byte \(offset)")
            #expect(try fixture.bytes() == changed)
        }
    }

    @Test
    func `links, directories and pipes are refused`() throws {
        try fixture.write([], to: "target")
        try FileSystem.symbolicLink(fixture.path, to: fixture.directory.file("target"))
        let link = #expect(throws: AuditError.self) { try fixture.open() }
        #expect(link?.reason == .notRegular)
        #expect(try fixture.bytes("target").isEmpty)
        try FileSystem.removeFile(fixture.path)
        try FileSystem.makeDirectory(fixture.path)
        let directory = #expect(throws: AuditError.self) { try fixture.open() }
        #expect(directory?.reason == .notRegular)
        try FileSystem.removeDirectory(fixture.path)
        try FileSystem.makePipe(fixture.path)
        let pipe = #expect(throws: AuditError.self) { try fixture.open() }
        #expect(pipe?.reason == .notRegular)
    }

    @Test
    func `a second writer is refused until the first one closes`() throws {
        let first = try fixture.open()
        let error = #expect(throws: AuditError.self) { try fixture.open() }
        #expect(error?.reason == .inUse)
        first.close()
        first.append(.stop)
        #expect(first.lostCount == 1)
        try fixture.open().close()
        #expect(try events(fixture) == ["begin"])
    }

    @Test(arguments: [true, false])
    func `the chain continues in a new file after a rotation`(_ isCreated: Bool) throws {
        let log = try fixture.open(AuditFixture.key)
        log.append(.start)
        #expect(try log.reopen() == false)
        let head = log.position.code
        try FileSystem.rename(fixture.path, to: fixture.directory.file("audit.log.1"))
        log.append(.connect)
        if isCreated { try fixture.write([]) }
        let last = log.position.code
        #expect(try log.reopen())
        log.append(.stop)
        log.close()
        let (old, new) = (try fixture.bytes("audit.log.1"), try fixture.bytes())
        #expect(old.lines.count == 3 && new.lines.count == 2)
        #expect(try entries(fixture)[0]["continues"]?.string == last.description)
        #expect(AuditFixture.finding(in: new, AuditFixture.key, head: last) == nil)
        #expect(AuditFixture.finding(in: new, AuditFixture.key, head: head) != nil)
        #expect(AuditFixture.finding(in: old + new, AuditFixture.key, head: head) == nil)

        var both = AuditCheck(key: AuditFixture.key, head: head)
        for name in ["audit.log.1", "audit.log"] { try both.check(fixture.directory.file(name)) }
        both.finish()
        #expect(both.finding == nil && both.lineCount == 5)
        var reversed = AuditCheck(key: AuditFixture.key)
        for name in ["audit.log", "audit.log.1"] {
            try reversed.check(fixture.directory.file(name))
        }
        #expect(reversed.finding != nil)
        // Lines that are missing at the end of the old file are found with the new one.
        let shorter = old.lines.dropLast().flatMap(\.self)
        let finding = AuditFixture.finding(in: [shorter, new], AuditFixture.key)
        #expect(finding?.reason == .notContinued)
    }

    @Test
    func `a rotation to a file with content is refused, and the log keeps its file`() throws {
        let log = try fixture.open()
        try FileSystem.rename(fixture.path, to: fixture.directory.file("audit.log.1"))
        try fixture.write(Array("mine\n".utf8))
        let error = #expect(throws: AuditError.self) { _ = try log.reopen() }
        #expect(error?.reason == .notEmpty)
        log.append(.stop)
        log.close()
        #expect(try fixture.text() == "mine\n")
        #expect(try fixture.bytes("audit.log.1").lines.count == 2)
    }

    @Test
    func `texts and lines are bounded`() throws {
        let log = try fixture.open()
        let long = String(repeating: "ä", count: 600)
        log.append(.refuse, ["user": .string(long)])
        let many = JSON.array((0..<300).map { _ in .string(String(long.prefix(512))) })
        log.append(.write, ["documents": many])
        log.append(.stop, ["code": "forged", "n": 7, "event": "start", "audit": "divan"])
        log.close()
        let bytes = try fixture.bytes()
        #expect(AuditFixture.finding(in: bytes) == nil)
        #expect(bytes.lines.allSatisfy { $0.count <= AuditLimits.lineByteCount + 1 })
        let entries = try entries(fixture)
        let user = try #require(entries[1]["user"]?.string)
        #expect(user.utf8.count <= AuditLimits.textByteCount && user.hasSuffix("ä…"))
        #expect(entries[2]["documents"] == nil && entries[2]["omittedBytes"] != nil)
        #expect(entries[3]["event"]?.string == "stop" && entries[3]["n"]?.int == 4)
    }

    /// In a separate process, whose files cannot grow for a moment.
    @Test
    func `entries that cannot be written are counted, and later ones are recorded`() async {
        await #expect(processExitsWith: .success) {
            let fixture = try AuditFixture()
            let log = try fixture.open(AuditFixture.key)
            log.append(.start)
            let byteCount = try fixture.bytes().count
            Signal.fileTooLarge.ignore()
            CurrentProcess.setFileByteLimit(UInt64(byteCount + 40))
            for _ in 0..<3 { log.append(.connect, ["user": "anna"]) }
            let failure = log.takeFailure()
            #expect(failure?.reason == .system(SystemError("write", .fileTooLarge)))
            #expect(log.takeFailure() == nil)
            #expect(log.lostCount == 3)
            #expect(try fixture.bytes().count == byteCount)
            CurrentProcess.setFileByteLimit(nil)
            log.append(.stop)
            log.close()
            let bytes = try fixture.bytes()
            #expect(AuditFixture.finding(in: bytes, AuditFixture.key) == nil)
            let entries = try bytes.lines.map { try JSON(parsing: $0).object ?? [:] }
            #expect(
                entries.map { $0["event"]?.string ?? "" } == ["begin", "start", "loss", "stop"]
            )
            #expect(entries[2]["entries"]?.int == 3)
        }
    }

    /// In a separate process, whose files cannot grow.
    @Test
    func `a new file is empty again if its first line cannot be written completely`() async {
        await #expect(processExitsWith: .success) {
            let fixture = try AuditFixture()
            Signal.fileTooLarge.ignore()
            CurrentProcess.setFileByteLimit(40)
            let error = #expect(throws: AuditError.self) { try fixture.open() }
            #expect(error?.reason == .system(SystemError("write", .fileTooLarge)))
            #expect(try fixture.bytes().isEmpty)
        }
    }

    @Test
    func `an entry without JSON text is recorded without its members`() throws {
        let log = try fixture.open()
        log.append(.connect, ["user": "anna", "number": .double(.nan)])
        log.append(.stop)
        log.close()
        #expect(AuditFixture.finding(in: try fixture.bytes()) == nil)
        #expect(try events(fixture) == ["begin", "connect", "stop"])
        let entry = try entries(fixture)[1]
        #expect(entry["omittedBytes"]?.int == 0 && entry["user"] == nil)
    }

    @Test
    func `entries of several threads form one chain`() async throws {
        let log = try fixture.open(AuditFixture.key)
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        log.append(.request, ["thread": JSON(thread), "number": JSON(number)])
                        if number.isMultiple(of: 10) { log.sync() }
                    }
                }
            }
        }
        log.close()
        let bytes = try fixture.bytes()
        #expect(bytes.lines.count == 801)
        #expect(AuditFixture.finding(in: bytes, AuditFixture.key) == nil)
    }
}
