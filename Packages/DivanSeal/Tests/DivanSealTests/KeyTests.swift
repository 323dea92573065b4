import CDivanSeal
import DivanPlatform
import DivanSeal
import DivanTestKit
import Foundation
import Testing

/// Keys, their sources, and their removal from memory.
struct KeyTests {
    private static let digits = String(repeating: "0a", count: 31) + "Fe"
    private static let bytes = [UInt8](repeating: 0x0A, count: 31) + [0xFE]

    private static func isExpected(_ key: SealKey) -> Bool {
        key.withBytes { span in (0..<span.count).map { span[$0] } } == bytes
    }

    @Test(arguments: SealCipher.all)
    func `both ciphers meet the contract`(cipher: SealCipher) {
        #expect(SealCipherContract.violations(of: cipher) == [])
    }

    @Test func `a key must have 32 bytes`() throws {
        for count in [0, 1, 16, 31, 33, 64] {
            #expect(throws: SealError.keyLength(byteCount: count)) {
                try SealKey(bytes: [UInt8](repeating: 1, count: count).span)
            }
        }
        #expect(try SealKey.test(1).isSame(as: .test(1)))
        #expect(try !SealKey.test(1).isSame(as: .test(2)))
        #expect(try !SealKey().isSame(as: SealKey()))
        let key = try SealKey(bytes: Self.bytes.span)
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "SealKey(hidden)" && !dumped.contains("10"))
    }

    @Test func `the kernel keyring provides a key or reports that it has none`() throws {
        let name = "divan:\(UUID().uuidString)"
        #expect(
            throws: SealError.source(
                "keyring \(name)",
                detail: "Required key not available; check that it exists and is readable"
            )
        ) { try KeyringKey(name).key() }
        #expect(divan_keyring_add(name, Self.bytes, Self.bytes.count) == 1)
        #expect(Self.isExpected(try KeyringKey(name).key()))
        #expect(divan_keyring_add(name, Array("\(Self.digits)\n".utf8), 65) == 1)
        #expect(Self.isExpected(try KeyringKey(name).key()))
        #expect(divan_keyring_add(name, Array("password123".utf8), 11) == 1)
        let password = try KeyringKey(name, form: .password).key()
        #expect(password.isSame(as: try SealKey(password: "password123")))
        #expect(throws: SealError.self) { try KeyringKey(name).key() }
        let long = [UInt8](repeating: 1, count: SealLimits.sourceByteCount + 1)
        #expect(divan_keyring_add(name, long, long.count) == 1)
        #expect(
            throws: SealError.source(
                "keyring \(name)",
                detail: "more than 4096 bytes; provide only the key"
            )
        ) { try KeyringKey(name).key() }
        for none in ["", "a\0b"] { #expect(throws: SealError.self) { try KeyringKey(none).key() } }
    }

    @Test func `files, descriptors, variables, credentials and commands provide keys`() throws {
        let home = try TemporaryDirectory()
        let (raw, text) = (home.file("raw"), home.file("text"))
        try Data(Self.bytes).write(to: URL(filePath: raw))
        try Data("\(Self.digits)\n".utf8).write(to: URL(filePath: text))
        for path in [raw, text] {
            try FileSystem.setPermissions(0o644, of: path)
            let error = SealError.source(
                path,
                detail: "readable by other users; run 'chmod 600' on it"
            )
            #expect(throws: error) {
                try FileKey(path).key()
            }
            try FileSystem.setPermissions(0o600, of: path)
            #expect(Self.isExpected(try FileKey(path).key()))
            let descriptor = try FileDescriptor.open(path, .readOnly)
            defer { descriptor.close() }
            #expect(Self.isExpected(try DescriptorKey(descriptor.rawValue).key()))
            #expect(Self.isExpected(try CommandKey("cat '\(path)'").key()))
        }
        TestEnvironment.set("DIVAN_SEAL_TEST", Self.digits)
        #expect(Self.isExpected(try EnvironmentKey("DIVAN_SEAL_TEST").key()))
        TestEnvironment.set("CREDENTIALS_DIRECTORY", home.path)
        #expect(Self.isExpected(try CredentialKey("text").key()))
        #expect(throws: SealError.self) { try CredentialKey("../text").key() }
        let password = try CommandKey("echo password123", form: .password).key()
        #expect(password.isSame(as: try SealKey(password: "password123")))
    }

    /// Such a pipe as a shell makes for `<(command)`.
    @Test func `reading a key waits for a slow writer of a pipe`() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        defer { reading.close() }
        let digits = Array(Self.digits.utf8)
        Thread.detachNewThread {
            for digit in digits {
                try? writing.writeAll([digit])
                // Until it is read, or for a bounded number of checks if nobody reads.
                var count = 0
                while count < 1_000_000,
                    (try? reading.wait(for: .reading, milliseconds: 0))?.isEmpty == false
                {
                    CurrentThread.yield()
                    count += 1
                }
            }
            writing.close()
        }
        #expect(Self.isExpected(try FileKey("/dev/fd/\(reading.rawValue)").key()))
    }

    @Test func `a pipe without a writer is not treated as an empty file`() throws {
        let home = try TemporaryDirectory()
        let path = home.file("pipe")
        try FileSystem.makePipe(path, permissions: 0o600)
        let digits = Array(Self.digits.utf8)
        Thread.detachNewThread {
            // Returns when the key is read.
            let writing = try? FileDescriptor.open(path, [.writeOnly, .closeOnExec])
            try? writing?.writeAll(digits)
            writing?.close()
        }
        #expect(Self.isExpected(try FileKey(path).key()))
    }

    @Test func `an error of a key source states the source but not its output`() throws {
        for command in ["echo hunter2", "exit 3", "true", "yes"] {
            let error = #expect(throws: SealError.self) { try CommandKey(command).key() }
            #expect("\(try #require(error))".hasPrefix("key from the command: "))
            #expect(!"\(try #require(error))".contains("hunter2"))
        }
        let killed = #expect(throws: SealError.self) { try CommandKey("kill -9 $$").key() }
        #expect("\(try #require(killed))".contains("was killed by signal 9; check the command"))
        let late = #expect(throws: SealError.self) {
            try CommandKey("exec sleep 60", milliseconds: 50).key()
        }
        #expect("\(try #require(late))".contains("longer than 50 ms"))
        #expect(throws: SealError.self) { try EnvironmentKey("DIVAN_SEAL_NOTHING").key() }
        #expect(throws: SealError.self) { try FileKey("/nowhere").key() }
        #expect(throws: SealError.self) { try DescriptorKey(-1).key() }
    }

    /// A shell that starts with a signal ignored cannot undo that.
    @Test func `a key command is ended by SIGPIPE even if this process ignores the signal`() {
        let before = Signal.brokenPipe.action
        Signal.brokenPipe.ignore()
        defer { if let before { Signal.brokenPipe.setAction(before) } }
        #expect(throws: SealError.self) {
            try CommandKey("kill -PIPE $$; echo \(Self.digits)").key()
        }
    }

    @Test func `the memory of a key is excluded from core dumps and freed with the key`() throws {
        let secret = try #require(divan_secret_make(Self.bytes))
        let address = UInt(bitPattern: divan_secret_bytes(secret))
        let flags = try #require(Self.flags(of: address))
        #expect(flags.contains("dd"))
        divan_secret_drop(secret)
        // Another mapping may have taken its place, but none that is excluded from core dumps.
        #expect(Self.flags(of: address)?.contains("dd") != true)
    }

    /// The kernel's flags for the mapping of an address; `nil` if there is none.
    private static func flags(of address: UInt) -> [Substring]? {
        guard let data = try? FileHandle(forReadingAtPath: "/proc/self/smaps")?.readToEnd() else {
            return nil
        }
        let text = String(decoding: data, as: UTF8.self)
        var isInside = false
        for line in text.split(separator: "\n") {
            let range = line.prefix { $0 != " " }.split(separator: "-")
            if range.count == 2, let start = UInt(range[0], radix: 16),
                let end = UInt(range[1], radix: 16)
            {
                isInside = (start..<end).contains(address)
            } else if isInside, line.hasPrefix("VmFlags:") {
                return line.split(separator: " ")
            }
        }
        return nil
    }

    @Test func `a command that closes its output but keeps running is ended`() throws {
        let late = #expect(throws: SealError.self) {
            try CommandKey("echo \(Self.digits); exec 1>&-; exec sleep 20", milliseconds: 300).key()
        }
        #expect("\(try #require(late))".contains("longer than 300 ms"))
    }
}

extension SealKey {
    /// A key whose bytes are all the same.
    static func test(_ byte: UInt8) throws -> SealKey {
        try SealKey(bytes: [UInt8](repeating: byte, count: 32).span)
    }
}
