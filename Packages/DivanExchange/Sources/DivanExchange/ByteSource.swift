import DivanPlatform

/// The bytes of an input, read from beginning to end, once.
public struct ByteSource {
    /// What messages call it: a path, or `standard input`.
    public let name: String
    private let next: () throws -> [UInt8]

    /// Bytes that are read from a file at a time.
    static let pieceByteCount = 1 << 18

    /// Describes an input.
    ///
    /// - Parameters:
    ///   - name: What messages call it.
    ///   - next: Returns the next bytes, at least one; none at the end, and again after it.
    public init(name: String, _ next: @escaping () throws -> [UInt8]) {
        self.name = name
        self.next = next
    }

    /// Opens a file, or a pipe with a name.
    ///
    /// - Throws: `ExchangeError` with `reading` if it cannot be opened.
    public init(path: String) throws(ExchangeError) {
        let file = try OpenFile(path)
        self.init(name: path) { try file.read(upTo: Self.pieceByteCount) }
    }

    /// Reads the bytes in memory.
    public init(name: String, bytes: [UInt8]) {
        var rest = bytes
        self.init(name: name) {
            defer { rest = [] }
            return rest
        }
    }

    /// Returns the next bytes; none at the end.
    ///
    /// - Throws: `ExchangeError` with `reading`, or what the source throws.
    public func read() throws -> [UInt8] { try next() }

    /// Returns everything that was not read yet.
    ///
    /// - Throws: `ExchangeError` with `invalid` if there are more than `limit` bytes.
    public func rest(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while case let piece = try read(), !piece.isEmpty {
            bytes += piece
            guard bytes.count <= limit else {
                throw ExchangeError(
                    .invalid,
                    at: name,
                    "longer than \(limit.inUnits)",
                    remedy: "check that it is the right file"
                )
            }
        }
        return bytes
    }

    /// A file that is closed when nothing refers to it.
    private final class OpenFile {
        private let path: String
        private let descriptor: FileDescriptor

        init(_ path: String) throws(ExchangeError) {
            self.path = path
            do {
                descriptor = try FileDescriptor.open(
                    path,
                    [.readOnly, .closeOnExec, .noControllingTerminal]
                )
            } catch {
                throw ExchangeError(reading: path, error)
            }
        }

        deinit { descriptor.close() }

        func read(upTo byteCount: Int) throws(ExchangeError) -> [UInt8] {
            do {
                return try descriptor.read(upTo: byteCount)
            } catch {
                throw ExchangeError(reading: path, error)
            }
        }
    }
}

extension ExchangeError {
    /// A file that cannot be read.
    init(reading path: String, _ error: SystemError) {
        self.init(
            .reading(error.errno.rawValue),
            at: path,
            "\(error.errno)",
            remedy: "check the path and its permissions"
        )
    }

    /// A file that cannot be written.
    init(writing path: String, _ number: Errno) {
        self.init(
            .writing(number.rawValue),
            at: path,
            "\(number)",
            remedy: number == .noSpace ? "free some space" : "check the path and its permissions"
        )
    }
}

extension BinaryInteger {
    /// A number of bytes as `12 B`, `67.1 MB` or `1.5 GB`; units are powers of a thousand.
    var inUnits: String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(self), 0)
        while value >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
        let tenths = Int((value * 10).rounded())
        return unit == 0 ? "\(self) B" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

extension String {
    /// The text with each quotation mark doubled and around it, as SQL and CSV write it.
    var quotedByDoubling: String {
        let quote = UInt8(ascii: "\"")
        let doubled = utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
    }
}
