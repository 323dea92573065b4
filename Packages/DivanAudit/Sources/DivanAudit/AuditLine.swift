import DivanJSON

/// One line of an audit log: a JSON object whose last member is the code of all before it.
///
/// `{"event":"start",…,"time":"…","code":"…"}`; the content ends before the comma in front of `"code"`.
struct AuditLine {
    /// The start of the first line of every file, which distinguishes audit logs from other files.
    static let mark = Array(#"{"audit":"divan","#.utf8)
    /// The version of the format.
    static let version = 1

    private static let codeStart = Array(#","code":""#.utf8)
    private static let codeEnd = Array("\"}".utf8)
    /// Bytes from the end of the content to the end of the line.
    static let codeByteCount = codeStart.count + AuditCode.textByteCount + codeEnd.count

    /// The content, which the code covers.
    let content: [UInt8]
    let code: AuditCode
    /// The number of the line in its log, from 1; numbering continues in the next file.
    let number: UInt64
    let members: JSONObject

    /// Reads a line without its line end; `nil` if it is not a line of an audit log.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > Self.codeByteCount, bytes.count <= AuditLimits.lineByteCount else {
            return nil
        }
        let (content, rest) = (
            bytes.dropLast(Self.codeByteCount), bytes.suffix(Self.codeByteCount)
        )
        let digits = rest.dropFirst(Self.codeStart.count).prefix(AuditCode.textByteCount)
        guard rest.starts(with: Self.codeStart), rest.suffix(2).elementsEqual(Self.codeEnd),
            let code = AuditCode(String(decoding: digits, as: UTF8.self)),
            let members = (try? JSON(parsing: content + [UInt8(ascii: "}")]))?.object,
            // Numbers above are not exact in other programs.
            let number = members["n"]?.int, 1...(1 << 53) ~= number
        else { return nil }
        self.content = Array(content)
        self.code = code
        self.number = UInt64(number)
        self.members = members
    }

    /// The bytes of a line with its line end.
    static func bytes(_ content: [UInt8], _ code: AuditCode) -> [UInt8] {
        content + codeStart + Array(code.description.utf8) + codeEnd + [UInt8(ascii: "\n")]
    }

    /// The content of an object with members: its text without the last brace.
    ///
    /// - Returns: `nil` for members without JSON text: with NaN or infinity, or nested too deeply.
    static func content(_ members: JSONObject) -> [UInt8]? {
        (try? JSON.object(members).canonicalBytes())?.dropLast()
    }

    /// Whether a file begins with this line.
    var isBegin: Bool { content.starts(with: Self.mark) }

    /// The code that the first line of a file continues; `nil` for the first file of a log.
    ///
    /// An unreadable code is also `nil`; the code of the line does not fit then.
    var continuedCode: AuditCode? {
        members["continues"]?.string.flatMap { AuditCode($0) }
    }
}

extension AuditLine {
    /// Why the first line of a file does not fit a log with this key; `nil` if it does.
    func misfit(_ chain: AuditChain) -> AuditMisfit? {
        guard isBegin, let version = members["version"]?.int else { return .notAuditLog }
        guard version == Self.version else { return .otherVersion(version) }
        let keyID = members["key"]?.string
        switch (keyID, chain.keyID) {
        case (nil, nil): return nil
        case (nil, _?): return .hasNoKey
        case (_?, nil): return .needsKey
        case (let own?, let other?):
            return own.utf8.elementsEqual(other.utf8) ? nil : .otherKey
        }
    }
}

/// Why a file does not fit a log.
public enum AuditMisfit: Equatable, Sendable {
    /// It is not an audit log.
    case notAuditLog
    /// It has another version of the format.
    case otherVersion(Int64)
    /// It was written with a key, and none was given.
    case needsKey
    /// It was written without a key, and one was given.
    case hasNoKey
    /// It was written with another key.
    case otherKey

    /// The problem, without the file.
    var problem: String {
        switch self {
        case .notAuditLog: "not an audit log"
        case .otherVersion(let version):
            "an audit log of version \(version), not \(AuditLine.version)"
        case .needsKey: "the audit log was written with a key"
        case .hasNoKey: "the audit log was written without a key"
        case .otherKey: "the audit log was written with another key"
        }
    }
}
