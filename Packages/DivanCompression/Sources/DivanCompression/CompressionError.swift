/// The reason why a piece could not be compressed or decompressed.
public enum CompressionError: Error, Equatable, Sendable {
    /// The bytes are not the output of the codec's compressor; `detail` is the library's message.
    case corrupt(codec: String, detail: String)
    /// A piece would exceed the caller's limit, in bytes.
    case outputTooLarge(codec: String, limit: Int)
    /// The library failed for another reason, such as low memory.
    case library(codec: String, code: Int)
}

extension CompressionError: CustomStringConvertible {
    /// One line: place, problem, remedy.
    public var description: String {
        switch self {
        case .corrupt(let codec, let detail):
            "\(codec): decompression failed (\(detail)); reconnect"
        case .outputTooLarge(let codec, let limit):
            "\(codec): decompressed data exceeds \(limit) bytes; raise the limit or send less"
        case .library(let codec, let code):
            "\(codec): the library failed with code \(code); free memory or check its settings"
        }
    }
}
