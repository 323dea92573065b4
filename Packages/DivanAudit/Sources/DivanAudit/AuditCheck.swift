import DivanJSON
import DivanPlatform

/// Verifies the lines of an audit log, in one or several files in the order in which they were written.
///
/// Call `check(_:)` for each file, or `receive(_:)` with its bytes in pieces and `endFile()`, and at the end `finish()`.
/// The first finding ends the check; later bytes are ignored. Memory stays below one line and one piece.
public struct AuditCheck: Sendable {
    /// The lines that were found intact.
    public private(set) var lineCount = 0
    /// The last intact line; `nil` before the first.
    public private(set) var position: AuditLog.Position?
    /// The code that the first file continues; `nil` if it begins a log.
    public private(set) var continuedCode: AuditCode?
    /// The times in the first and the last intact line.
    public private(set) var times: (first: String, last: String)?
    /// The first difference from what was written; `nil` if there is none so far.
    public private(set) var finding: AuditFinding?

    private let chain: AuditChain
    private let head: AuditCode?
    private var isHeadFound = false
    private var path: String?
    /// The number of the line in its file, from 1.
    private var line = 0
    private var incomplete: [UInt8] = []

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - key: The key with which the log was written.
    ///   - head: The code of a line that must be in the files, such as the last one that the server printed.
    public init(key: AuditKey?, head: AuditCode? = nil) {
        chain = AuditChain(key)
        self.head = head
    }

    /// Verifies a file that follows the former one.
    ///
    /// - Throws: `AuditError` if it cannot be read.
    public mutating func check(_ path: String) throws(AuditError) {
        self.path = path
        do {
            let file = try FileDescriptor.open(path, [.readOnly, .closeOnExec])
            defer { file.close() }
            while finding == nil, case let piece = try file.read(upTo: 1 << 16), !piece.isEmpty {
                receive(piece)
            }
        } catch {
            throw AuditError(path, error)
        }
        endFile()
    }

    /// Verifies further bytes of the file.
    public mutating func receive(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while finding == nil, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            incomplete += rest[..<end]
            rest = rest[(end + 1)...]
            line += 1
            verify(incomplete)
            incomplete.removeAll(keepingCapacity: true)
        }
        guard finding == nil else { return }
        incomplete += rest
        guard incomplete.count > AuditLimits.lineByteCount else { return }
        line += 1
        find(.notALine)
    }

    /// Ends the file.
    public mutating func endFile() {
        guard finding == nil else { return }
        if !incomplete.isEmpty {
            line += 1
            find(.incomplete)
        } else if line == 0 {
            find(.empty)
        }
        line = 0
        incomplete = []
    }

    /// Ends the check: the expected line must have been found.
    public mutating func finish() {
        guard finding == nil, let head, !isHeadFound else { return }
        line = 0
        find(.missingEnd(head))
    }

    private mutating func find(_ reason: AuditFinding.Reason) {
        finding = AuditFinding(path: path, line: line, reason: reason)
    }

    private mutating func verify(_ bytes: [UInt8]) {
        guard let found = AuditLine(bytes) else { return find(.notALine) }
        guard let before = predecessor(of: found) else { return }
        guard found.number == before.number + 1 else {
            return find(.otherNumber(found.number, expected: before.number + 1))
        }
        guard chain.code(of: found.content.span, after: before.code) == found.code else {
            return find(.changed)
        }
        lineCount += 1
        position = AuditLog.Position(number: found.number, code: found.code)
        let time = found.members["time"]?.string ?? ""
        times = (times?.first ?? time, time)
        if found.code == head { isHeadFound = true }
    }

    /// The line before a line; `nil` with a finding.
    private mutating func predecessor(of found: AuditLine) -> AuditLog.Position? {
        if line == 1, !found.isBegin {
            find(.missingBegin)
            return nil
        }
        guard found.isBegin else { return position }
        if let misfit = found.misfit(chain) {
            find(.misfit(misfit))
            return nil
        }
        let continued = found.continuedCode
        if let position {
            guard continued == position.code else {
                find(.notContinued)
                return nil
            }
            return position
        }
        guard continued != nil || found.number == 1 else {
            find(.otherNumber(found.number, expected: 1))
            return nil
        }
        continuedCode = continued
        if let continued, continued == head { isHeadFound = true }
        return AuditLog.Position(number: found.number - 1, code: continued ?? .none)
    }
}

/// The first difference between an audit log and what was written.
public struct AuditFinding: Equatable, Sendable {
    /// What differs.
    public enum Reason: Equatable, Sendable {
        /// The line was changed, or a line was inserted before it.
        case changed
        /// The line has another number: lines are missing, inserted, or in another order.
        case otherNumber(UInt64, expected: UInt64)
        /// The line does not have the form of an entry.
        case notALine
        /// The first line of the file is missing or was changed.
        case missingBegin
        /// The last line has no end.
        case incomplete
        /// The file has no lines.
        case empty
        /// The file does not fit the key, or is not an audit log.
        case misfit(AuditMisfit)
        /// The file does not continue the file before it.
        case notContinued
        /// No line has the expected code.
        case missingEnd(AuditCode)
    }

    /// The file; `nil` if only bytes were checked.
    public let path: String?
    /// The number of the line in the file, from 1; 0 if the finding concerns the whole file.
    public let line: Int
    /// What differs.
    public let reason: Reason
}

extension AuditFinding: CustomStringConvertible {
    /// One line: file, line, problem.
    public var description: String {
        let places = [path, line > 0 ? "line \(line)" : nil].compactMap(\.self)
        return (places.isEmpty ? "" : places.joined(separator: ", ") + ": ") + problem
    }

    /// The problem, without the place.
    public var problem: String {
        switch reason {
        case .changed: "the line was changed, or a line was inserted before it"
        case .otherNumber(let number, let expected):
            number > expected
                ? "lines are missing or in another order: expected entry \(expected), found \(number)"
                : "lines were inserted or reordered: expected entry \(expected), found \(number)"
        case .notALine: "the line is not an entry of an audit log"
        case .missingBegin: "the first line of the file is missing or was changed"
        case .incomplete: "the last line is incomplete"
        case .empty: "the file is empty"
        case .misfit(let misfit): misfit.problem
        case .notContinued: "the file does not continue the audit log before it"
        case .missingEnd(let code): "lines are missing at the end: no line has the code \(code)"
        }
    }
}
