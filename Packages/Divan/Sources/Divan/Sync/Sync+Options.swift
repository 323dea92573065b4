@_spi(Modern) internal import CouchbaseLiteSwift
public import DivanCompression
internal import Foundation

extension Sync {
    /// The less common settings of a sync.
    public struct Options: Sendable {
        /// Which blobs a pull downloads with their documents.
        public enum Blobs: Sendable, Hashable {
            /// All blobs.
            case all
            /// No blobs; download them later with ``Blob/fetch(from:progress:)``.
            case none
            /// Blobs up to a size in bytes.
            case upTo(byteCount: UInt64)
        }

        /// The proxy through which a sync connects; with TLS, the proxy only sees the destination.
        public struct Proxy: Sendable {
            /// A host name or address.
            public var host: String
            /// The port.
            public var port: UInt16
            /// The user name for the proxy; `nil` for none.
            public var user: String?
            /// The user's password.
            public var password: String?

            /// Describes an HTTP proxy.
            public init(
                host: String,
                port: UInt16,
                user: String? = nil,
                password: String? = nil
            ) {
                self.host = host
                self.port = port
                self.user = user
                self.password = password
            }
        }

        /// How sent data is compressed.
        public var compression = Compression.automatic
        /// Which blobs a pull downloads.
        public var blobs = Blobs.all
        /// Encrypts single fields of documents with these keys; `nil` for no encryption.
        public var fieldKeys: FieldKeys?
        /// Whether documents that the user can no longer read on the peer are removed from this database.
        public var removesInaccessibleDocuments = true
        /// Connection attempts in a row, including the first; `nil` means 10 for a single run, and no limit for a
        /// continuous one.
        public var maxAttempts: Int?
        /// The longest wait between two attempts; waits are 2, 4, 8 … seconds up to this.
        public var maxRetryDelay = Duration.seconds(300)
        /// How long there may be no data before a ping is sent; at least a second.
        public var heartbeat = Duration.seconds(300)
        /// Header fields to add to each connection request.
        public var headers: [String: String] = [:]
        /// The proxy to connect through; `nil` connects directly.
        public var proxy: Proxy?
        /// The name or address of the network interface to use; `nil` lets the system choose.
        public var networkInterface: String?
        /// Whether to resume TLS sessions when connecting again, which is faster.
        public var resumesTLSSessions = true
        /// Whether to accept cookies that a server sets for a parent domain.
        public var acceptsParentDomainCookies = false

        /// The standard settings, except those that are given; the others are set afterwards.
        public init(
            compression: Compression = .automatic,
            blobs: Blobs = .all,
            maxAttempts: Int? = nil,
            headers: [String: String] = [:]
        ) {
            self.compression = compression
            self.blobs = blobs
            self.maxAttempts = maxAttempts
            self.headers = headers
        }
    }

    /// How a sync or a listener compresses what it sends; it accepts any compression of what it receives.
    public enum Compression: Sendable {
        /// What is fastest, by measurement; none within this machine.
        case automatic
        /// Deflate with a level from 1 (fast) to 9 (small); also within this machine.
        case deflate(level: Int)
        /// LZ4 if the other side is a Divan peer that accepts it, otherwise deflate; also within this machine.
        case lz4
        /// None.
        case none
        /// A codec of the application if the other side has it too, otherwise deflate; `CodecContract` of
        /// DivanCompression tests one.
        ///
        /// The codec's name, 1 to 16 ASCII letters and digits, must not be that of a codec of this library; otherwise
        /// the run fails with ``DivanError/Code/invalidArgument``.
        case codec(any CompressionCodec)

        var official: ReplicationCompression {
            switch self {
            case .automatic: .automatic
            case .deflate(let level): .deflate(level: level)
            case .lz4: .lz4
            case .none: .none
            case .codec(let codec): .codec(codec)
            }
        }
    }
}

extension Sync.Options {
    func apply(to configuration: inout ReplicatorConfiguration) {
        configuration.compression = compression.official
        configuration.blobs =
            switch blobs {
            case .all: .eager
            case .none: .lazy
            case .upTo(let count): .upTo(count)
            }
        configuration.documentPropertyEncryptor = fieldKeys?.keys.encryptor
        configuration.documentPropertyDecryptor = fieldKeys?.keys.decryptor
        configuration.enableAutoPurge = removesInaccessibleDocuments
        if let maxAttempts { configuration.maxAttempts = UInt(max(1, maxAttempts)) }
        configuration.maxAttemptWaitTime = maxRetryDelay.bounded
        configuration.heartbeat = max(1, heartbeat.bounded)
        if !headers.isEmpty { configuration.headers = headers }
        configuration.proxy = proxy.map { proxy in
            ProxySettings(
                hostname: proxy.host,
                port: proxy.port,
                username: proxy.user,
                password: proxy.password
            )
        }
        configuration.networkInterface = networkInterface
        configuration.resumesTLSSessions = resumesTLSSessions
        configuration.acceptParentDomainCookie = acceptsParentDomainCookies
    }
}

extension Duration {
    /// Seconds for the layer below, from 0 to 100 years.
    var bounded: TimeInterval { min(max(0, self / .seconds(1)), 3_155_760_000) }
}
