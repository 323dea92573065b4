@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanCrypto
public import DivanTLS
public import Foundation

/// A private key and its certificates, with which a listener, a client or a peer of a mesh authenticates itself.
///
/// ```swift
/// let authority = try Identity.authority(named: "robots")
/// let identity = try authority.issue(named: "robot 7")
/// try identity.store(as: "robot")                        // later: try Identity.stored(as: "robot")
/// ```
///
/// Printing an identity never shows the key.
public struct Identity: Sendable {
    /// What an identity's certificate may be used for.
    public struct Usage: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates usages from bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Authenticates a listener.
        public static let server = Usage(rawValue: 0x40)
        /// Authenticates a client.
        public static let client = Usage(rawValue: 0x80)
    }

    /// The kind of a new key.
    public enum KeyType: Sendable {
        /// RSA with 2,048 bits, which every Couchbase Lite peer supports; creating one takes about a tenth of a second.
        case rsa
        /// ECDSA on P-256, for Divan peers and other servers; creating one takes less than a millisecond.
        case p256

        fileprivate var official: PrivateKey.Kind {
            switch self {
            case .rsa: .rsa(bitCount: 2_048)
            case .p256: .p256
            }
        }
    }

    let credential: TLSCredential

    init(_ credential: TLSCredential) {
        self.credential = credential
    }

    /// The identity's own certificate.
    public var certificate: Certificate { Certificate(credential.leaf) }
    /// The chain, the identity's own certificate first.
    public var certificates: [Certificate] { credential.certificates.map { Certificate($0) } }
}

// MARK: - Creating

extension Identity {
    /// Creates a key and a self-signed certificate; nothing is stored.
    ///
    /// - Parameters:
    ///   - name: The common name of the certificate.
    ///   - hosts: Host names and IP addresses of the listener, which clients that trust an authority check.
    ///   - usage: What the certificate may be used for.
    ///   - lifetime: How long the certificate is valid.
    ///   - key: The kind of the key.
    /// - Returns: The identity, in memory only.
    /// - Throws: ``DivanError/Code/invalidIdentity`` for an empty name, ``DivanError/Code/invalidArgument`` for a lifetime
    ///   that is not positive.
    public static func selfSigned(
        named name: String,
        hosts: [String] = [],
        usage: Usage = [.server, .client],
        validFor lifetime: Duration = .seconds(365 * 86_400),
        key: KeyType = .rsa
    ) throws -> Identity {
        try make(name, hosts, usage, lifetime, key, issuer: nil)
    }

    /// Creates an authority that signs the certificates of other identities; nothing is stored.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` for an empty name, ``DivanError/Code/invalidArgument`` for a lifetime
    ///   that is not positive.
    public static func authority(
        named name: String,
        validFor lifetime: Duration = .seconds(3_650 * 86_400),
        key: KeyType = .rsa
    ) throws -> Identity {
        try make(name, [], [], lifetime, key, isAuthority: true, issuer: nil)
    }

    /// Creates a key and a certificate that this authority signs.
    ///
    /// The parameters are those of ``selfSigned(named:hosts:usage:validFor:key:)``.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` if this is not an authority, or for an empty name,
    ///   ``DivanError/Code/invalidArgument`` for a lifetime that is not positive.
    public func issue(
        named name: String,
        hosts: [String] = [],
        usage: Usage = [.server, .client],
        validFor lifetime: Duration = .seconds(365 * 86_400),
        key: KeyType = .rsa
    ) throws -> Identity {
        try Self.make(name, hosts, usage, lifetime, key, issuer: credential)
    }

    private static func make(
        _ name: String,
        _ hosts: [String],
        _ usage: Usage,
        _ lifetime: Duration,
        _ key: KeyType,
        isAuthority: Bool = false,
        issuer: TLSCredential?
    ) throws -> Identity {
        try DivanError.converting(place: "identity “\(name)”") {
            guard lifetime > .zero else {
                throw DivanError(
                    .invalidArgument,
                    problem: "the certificate would never be valid",
                    remedy: "pass a lifetime of more than zero"
                )
            }
            let now = Date()
            var template = CertificateTemplate(
                attributes: name.isEmpty ? [:] : ["CN": name],
                usages: CertificateTemplate.Usages(rawValue: usage.rawValue),
                now: now,
                notAfter: now + min(lifetime / .seconds(1), 3_155_760_000)
            )
            template.isAuthority = isAuthority
            template.alternativeNames = hosts.map { AlternativeName.host($0) }
            return Identity(try TLSCredential.generate(template, key: key.official, issuer: issuer))
        }
    }
}

extension AlternativeName {
    /// The name of a host, or its address.
    fileprivate static func host(_ text: String) -> AlternativeName {
        let isAddress = text.contains(":") || text.allSatisfy { $0.isNumber || $0 == "." }
        return isAddress ? .ipAddress(text) : .hostname(text)
    }
}

// MARK: - Files

extension Identity {
    /// Reads a private key and its certificate chain, leaf first, from PEM text.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` for a wrong password, or if key and certificate do not match.
    public init(pem: String, password: String? = nil) throws {
        credential = try DivanError.converting { try TLSCredential(pem: pem, password: password) }
    }

    /// Reads a private key and its certificate chain from PKCS #12.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` for a wrong password or damaged data.
    public init(pkcs12: Data, password: String? = nil) throws {
        let bytes = Array(pkcs12)
        credential = try DivanError.converting {
            try TLSCredential(pkcs12: bytes.span, password: password)
        }
    }

    /// Reads a private key and its certificate chain from a file in PEM or PKCS #12.
    ///
    /// - Throws: ``DivanError/Code/notFound`` without the file, ``DivanError/Code/invalidIdentity`` for a wrong
    ///   password, or if key and certificate do not match.
    public init(contentsOf file: URL, password: String? = nil) throws {
        let data = try Certificate.read(file)
        if let text = String(data: data, encoding: .utf8), text.contains("-----BEGIN") {
            try self.init(pem: text, password: password)
        } else {
            try self.init(pkcs12: data, password: password)
        }
    }

    /// Returns the key and the chain as PEM; the key is encrypted if there is a password.
    public func pem(password: String? = nil) throws -> String {
        try DivanError.converting { try credential.pem(password: password) }
    }

    /// Returns the key and the chain as PKCS #12, encrypted with the password.
    public func pkcs12(password: String) throws -> Data {
        try DivanError.converting {
            let name = credential.leaf.commonName ?? ""
            return Data(try credential.pkcs12(password: password, name: name))
        }
    }
}

// MARK: - Stored identities

extension Identity {
    /// Where identities are stored: a directory, or a store of the application.
    public struct Storage: Sendable {
        let store: any TLSIdentityStore

        /// A store of the application, such as a keyring; `IdentityStoreContract` of DivanTLS tests one.
        public init(_ store: any TLSIdentityStore) {
            self.store = store
        }

        /// A directory with one file for each identity, which only its owner can read.
        ///
        /// It is created with mode 0700, and files with 0600; less strict modes are rejected.
        public static func directory(_ directory: URL) -> Storage {
            Storage(DirectoryIdentityStore(directory: directory.path))
        }

        /// The user's directory: `$DIVAN_IDENTITY_DIRECTORY` or `CouchbaseLite/Identities` in the user's data directory.
        public static var user: Storage { directory(URL(filePath: TLSIdentity.storeDirectory)) }

        /// The memory of this process, for tests.
        public static func memory() -> Storage { Storage(InMemoryIdentityStore()) }
    }

    /// Returns the identity stored under a name; `nil` if it does not exist.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` if it cannot be read, or if other users can read it.
    public static func stored(
        as name: String,
        in storage: Storage = .user
    ) throws -> Identity? {
        try DivanError.converting(place: "identity “\(name)”") {
            try storage.store.credential(label: name).map { Identity($0) }
        }
    }

    /// Stores the identity under a name, and replaces one that is stored there.
    ///
    /// - Throws: ``DivanError/Code/invalidIdentity`` if it cannot be written.
    public func store(as name: String, in storage: Storage = .user) throws {
        try DivanError.converting(place: "identity “\(name)”") {
            if try storage.store.credential(label: name) == nil {
                try storage.store.save(credential, label: name)
            } else {
                try storage.store.replace(credential, label: name)
            }
        }
    }

    /// Deletes a stored identity; does nothing if it does not exist.
    public static func deleteStored(
        _ name: String,
        in storage: Storage = .user
    ) throws {
        try DivanError.converting(place: "identity “\(name)”") {
            try storage.store.delete(label: name)
        }
    }

    /// The names of all stored identities, sorted.
    public static func storedNames(in storage: Storage = .user) throws -> [String] {
        try DivanError.converting { try storage.store.labels().sorted() }
    }
}

extension Identity: Equatable, CustomStringConvertible, CustomReflectable {
    /// Compares the certificate chains.
    public static func == (first: Identity, second: Identity) -> Bool {
        first.credential == second.credential
    }

    /// The subject and the start of the fingerprint, without the key.
    public var description: String { certificate.description }

    /// The certificates only.
    public var customMirror: Mirror { Mirror(self, children: ["certificates": certificates]) }
}
