import CDivanTLS

/// Stores each identity in its own PEM file, readable by `openssl` and by people.
///
/// The directory has mode 0700, each file 0600, and both belong to this user; looser permissions are refused, never
/// repaired, because somebody may have read the file. Files appear whole or not at all, and several processes may share
/// the directory.
///
/// Source: `behaviour.md` §13 **Choose**.
public struct DirectoryIdentityStore: TLSIdentityStore {
    /// The directory of the files.
    public let directory: String

    /// Uses a directory, which the first `save` creates.
    public init(directory: String) {
        self.directory = directory
    }

    /// Reads the identity under `label`; `nil` if there is no such file.
    ///
    /// - Throws: `CredentialError`, with `.exposed` if others may read the file or the directory.
    public func credential(label: String) throws -> TLSCredential? {
        try checkLabel(label)
        guard let folder = try PrivateDirectory.open(directory, creates: false),
            var bytes = try folder.read(Self.fileName(label))
        else { return nil }
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        return try TLSCredential(pem: String(decoding: bytes, as: UTF8.self))
    }

    /// Writes and syncs a new file.
    ///
    /// - Throws: `CredentialError`, with `.labelTaken` if the label exists.
    public func save(_ credential: TLSCredential, label: String) throws {
        guard try write(credential, label, isReplacing: false) else {
            throw CredentialError(.labelTaken(label))
        }
    }

    /// Writes and syncs a file that replaces the one under `label`; readers find one or the other.
    ///
    /// - Throws: `CredentialError`.
    public func replace(_ credential: TLSCredential, label: String) throws {
        _ = try write(credential, label, isReplacing: true)
    }

    /// Returns whether the file was written; not if the label is taken and must not be replaced.
    private func write(
        _ credential: TLSCredential,
        _ label: String,
        isReplacing: Bool
    ) throws -> Bool {
        try checkLabel(label)
        guard let folder = try PrivateDirectory.open(directory, creates: true) else { return true }
        var bytes = Array(try credential.pem().utf8)
        defer { OPENSSL_cleanse(&bytes, bytes.count) }
        return try folder.create(Self.fileName(label), bytes.span, isReplacing: isReplacing)
    }

    /// Removes the file under `label`, if there is one.
    ///
    /// - Throws: `CredentialError`.
    public func delete(label: String) throws {
        try checkLabel(label)
        guard let folder = try PrivateDirectory.open(directory, creates: false) else { return }
        try folder.remove(Self.fileName(label))
    }

    /// The labels, sorted by bytes; other files in the directory are skipped.
    ///
    /// - Throws: `CredentialError`.
    public func labels() throws -> [String] {
        guard let folder = try PrivateDirectory.open(directory, creates: false) else { return [] }
        return try folder.names().compactMap { Self.label($0) }.sortedByBytes()
    }

    private static let suffix = ".pem"

    /// The label, with every byte but ASCII letters, digits, `-` and `_` as `%` and two hexadecimal digits.
    static func fileName(_ label: String) -> String {
        var name = ""
        for byte in label.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += byte < 16 ? "%0" : "%"
                name += String(byte, radix: 16)
            }
        }
        return name + suffix
    }

    /// The inverse of `fileName`; `nil` for a name that `fileName` would not produce.
    private static func label(_ fileName: String) -> String? {
        guard fileName.hasSuffix(suffix) else { return nil }
        var bytes: [UInt8] = []
        var rest = fileName.dropLast(suffix.count).utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard let decoded = UInt8(digits, radix: 16) else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        let label = String(decoding: bytes, as: UTF8.self)
        return Self.fileName(label) == fileName ? label : nil
    }
}
