import DivanJSON
import DivanSeal
import DivanSealedFields
import DivanTestKit
import Foundation
import Synchronization
import Testing

/// Keys for properties: which one encrypts, which ones decrypt, and what none opens.
struct KeyringTests {
    private static let local = Array(#"{"ssn":{"@type":"encryptable","value":"1"}}"#.utf8)
    private static let place = DocumentFields(scope: "s", collection: "c", documentID: "d")

    private static func key(_ fill: UInt8) throws -> SealKey {
        try SealKey(bytes: [UInt8](repeating: fill, count: 32).span)
    }

    @Test func `a new key encrypts, and the old one still decrypts`() throws {
        let before = try FieldKeyring(current: "1", keys: ["1": Self.key(1)])
        let after = try FieldKeyring(current: "2", keys: ["1": Self.key(1), "2": Self.key(2)])
        let old = try Self.place.sealed(Self.local, by: before.seal)
        let new = try Self.place.sealed(Self.local, by: after.seal)
        #expect(String(decoding: old, as: UTF8.self).contains(#""kid":"1""#))
        #expect(String(decoding: new, as: UTF8.self).contains(#""kid":"2""#))
        #expect(try Self.place.opened(old, by: after.open) == Self.local)
        #expect(try Self.place.opened(new, by: after.open) == Self.local)
        // A reader without the new key still sees the rest of the document.
        #expect(try Self.place.opened(new, by: before.open) == new)
    }

    @Test func `equal values are encrypted differently`() throws {
        let keyring = try FieldKeyring(current: "1", keys: ["1": Self.key(1)])
        let first = try Self.place.sealed(Self.local, by: keyring.seal)
        #expect(try Self.place.sealed(Self.local, by: keyring.seal) != first)
    }

    @Test(arguments: [
        DocumentFields(scope: "x", collection: "c", documentID: "d"),
        DocumentFields(scope: "s", collection: "x", documentID: "d"),
        DocumentFields(scope: "s", collection: "c", documentID: "x"),
        DocumentFields(scope: "sc", collection: "", documentID: "d"),
    ]) func `a value moved to another document or property does not decrypt`(
        elsewhere: DocumentFields
    ) throws {
        let keyring = try FieldKeyring(current: "1", keys: ["1": Self.key(1)])
        let wire = try Self.place.sealed(Self.local, by: keyring.seal)
        #expect(throws: FieldFailure.self) { try elsewhere.opened(wire, by: keyring.open) }
        let renamed = String(decoding: wire, as: UTF8.self)
            .replacingOccurrences(of: "$ssn", with: "$pin")
        #expect(throws: FieldFailure.self) {
            try Self.place.opened(Array(renamed.utf8), by: keyring.open)
        }
    }

    @Test func `a changed byte or another key with the same ID is detected`() throws {
        let keyring = try FieldKeyring(current: "1", keys: ["1": Self.key(1)])
        let question = try Self.question()
        let field = try #require(try keyring.seal(Array("1".utf8), question))
        #expect(field.ciphertext.count == 1 + 28)
        for offset in field.ciphertext.indices {
            var changed = field
            changed.ciphertext[offset] ^= 1
            #expect(throws: SealError.damaged) { try keyring.open(changed, question) }
        }
        for count in 0..<field.ciphertext.count {
            var cut = field
            cut.ciphertext = Array(field.ciphertext.prefix(count))
            #expect(throws: SealError.damaged) { try keyring.open(cut, question) }
        }
        let other = try FieldKeyring(current: "1", keys: ["1": Self.key(2)])
        #expect(throws: SealError.damaged) { try other.open(field, question) }
    }

    @Test func `values encrypted by others are left unchanged`() throws {
        let keyring = try FieldKeyring(current: "1", keys: ["1": Self.key(1)])
        let question = try Self.question()
        #expect(try keyring.open(SealedField([1], keyID: "1"), question) == nil)
        let named = SealedField([1], algorithm: FieldKeyring.algorithm, keyID: "2")
        #expect(try keyring.open(named, question) == nil)
        let nameless = SealedField([1], algorithm: FieldKeyring.algorithm)
        #expect(try keyring.open(nameless, question) == nil)
    }

    @Test func `a missing current key or an invalid key ID is rejected`() throws {
        let key = try Self.key(1)
        #expect(throws: SealError.self) { try FieldKeyring(current: "2", keys: ["1": key]) }
        #expect(throws: SealError.self) { try FieldKeyring(current: "", keys: ["": key]) }
        let long = FieldKeyID(String(repeating: "x", count: 257))
        #expect(throws: SealError.self) { try FieldKeyring(current: long, keys: [long: key]) }
    }

    @Test func `Python and a keyring decrypt each other's values`() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/fields.py").path
        let keyring = try FieldKeyring(current: "k", keys: ["k": Self.key(5)])
        let field = try #require(try keyring.seal(Array(#""secret""#.utf8), try Self.question()))
        let key = String(repeating: "05", count: 32)
        func python(_ verb: String, _ text: String) throws -> String {
            let outcome = try Program("/usr/bin/python3")
                .run([script, verb, key, "s", "c", "d", "ssn", "k", text])
            #expect(outcome.status == 0, "\(outcome)")
            return outcome.output.trimmingCharacters(in: .newlines)
        }
        let sealed = Data(field.ciphertext).base64EncodedString()
        #expect(try python("open", sealed) == #""secret""#)
        let made = try #require(Data(base64Encoded: try python("seal", "[1,2]")))
        let theirs = SealedField(Array(made), algorithm: FieldKeyring.algorithm, keyID: "k")
        #expect(try keyring.open(theirs, try Self.question()) == Array("[1,2]".utf8))
    }

    /// The question to a cipher for `ssn` of the document.
    private static func question() throws -> FieldContext {
        let asked = Mutex<FieldContext?>(nil)
        _ = try place.sealed(local) { value, question in
            asked.withLock { $0 = question }
            return SealedField(value)
        }
        return try #require(asked.withLock { $0 })
    }

    @Test func `a value moved below an empty name does not decrypt`() throws {
        let keyring = try FieldKeyring(current: "1", keys: ["1": Self.key(1)])
        let sealed = try Self.place.sealed(Self.local, by: keyring.seal)
        let wire = String(decoding: sealed, as: UTF8.self)
        #expect(throws: FieldFailure.self) {
            try Self.place.opened(Array(#"{"":\#(wire)}"#.utf8), by: keyring.open)
        }
    }
}
