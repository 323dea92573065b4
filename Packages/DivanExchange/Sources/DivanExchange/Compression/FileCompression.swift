import DivanCompression
import DivanZlib
import DivanZstd

/// How a file is compressed.
public enum FileCompression: Sendable, CaseIterable {
    /// gzip, by zlib.
    case gzip
    /// Zstandard, by zstd where it is installed.
    case zstd

    /// The compression that the suffix of a file's name selects; `nil` for a name without `.gz` or `.zst`.
    public init?(suffixOf name: String) {
        let name = name.lowercased()
        guard let found = Self.allCases.first(where: { name.hasSuffix($0.suffix) }) else {
            return nil
        }
        self = found
    }

    /// The name of a file without `.gz` or `.zst`, whose suffix selects the format.
    public static func nameInside(_ name: String) -> String {
        guard let compression = FileCompression(suffixOf: name) else { return name }
        return String(decoding: name.utf8.dropLast(compression.suffix.utf8.count), as: UTF8.self)
    }

    /// The compression of a file that begins with these bytes; `nil` if more bytes are needed.
    ///
    /// No JSON or CSV text begins like a compressed file: the magic numbers contain control characters or bytes that
    /// UTF-8 lacks.
    static func recognizing(_ start: [UInt8]) -> Recognition? {
        if [0x1F, 0x8B].starts(with: start.prefix(2)) {
            return start.count < 2 ? nil : .compressed(.gzip)
        }
        switch ZstdFileDecompressor.recognizes(start) {
        case nil: return nil
        case true?: return .compressed(.zstd)
        case false?: return .plain
        }
    }

    /// What the beginning of a file shows.
    enum Recognition {
        case plain
        case compressed(FileCompression)
    }

    /// What messages call it.
    var name: String {
        switch self {
        case .gzip: "gzip"
        case .zstd: "Zstandard"
        }
    }

    private var suffix: String {
        switch self {
        case .gzip: ".gz"
        case .zstd: ".zst"
        }
    }

    /// Creates a decompressor.
    ///
    /// - Throws: `ExchangeError` with `noZstd` if zstd is required and not installed.
    func makeDecompressor(for file: String) throws(ExchangeError) -> any FileDecompressor {
        switch self {
        case .gzip: return GzipDecompressor()
        case .zstd:
            guard let decompressor = ZstdFileDecompressor() else { throw Self.missing(at: file) }
            return decompressor
        }
    }

    /// Creates a compressor.
    ///
    /// - Throws: `ExchangeError` with `noZstd` if zstd is required and not installed; `CompressionError`.
    func makeCompressor(for file: String) throws -> any FileCompressor {
        switch self {
        case .gzip: return try GzipCompressor()
        case .zstd:
            guard let compressor = ZstdFileCompressor() else { throw Self.missing(at: file) }
            return compressor
        }
    }

    private static func missing(at file: String) -> ExchangeError {
        ExchangeError(
            .noZstd,
            at: file,
            "Zstandard files require zstd, which is not installed",
            remedy: "install libzstd1, or use gzip"
        )
    }
}
