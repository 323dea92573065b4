import DivanAuth
import DivanReplicator
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

/// Errors that this package itself finds in a replication, a listener or an identity.
enum ReplicationFailure: Error, Equatable {
    /// The text of an endpoint is not a URL.
    case invalidURL(String)
    /// A conflict resolver returned a document of another collection or database.
    case resolvedElsewhere(documentID: String)
    /// Both ends of a database endpoint are the same database.
    case sameDatabase(name: String)
    /// The target's type is not one that a replicator can connect to.
    case unknownEndpoint(String)
    /// The authenticator's type is not one that this side supports.
    case unknownAuthenticator(String)
    /// Two mutually exclusive ways of trusting the server were chosen.
    case contradictoryTrust
    /// Pending documents were requested from a replicator that does not push.
    case pullOnly
    /// A collection is not part of the replicator's configuration.
    case collectionNotReplicated(String)
    /// A blob was requested that no pull has left at a peer.
    case unknownBlob(String)
    /// No replicator exists whose configuration could fetch a blob.
    case noWayToBlob(String)
    /// A header cannot be part of a request.
    case unsendableHeader(String)
    /// A certificate authenticator was given together with `disableTLS`.
    case certificatesWithoutTLS
    /// A trusted proxy is neither an address nor a network.
    case invalidProxies([String])

    /// The public form.
    var error: NSError { NSError(from: self) }
}

extension ReplicationFailure: NumberedError {
    var number: ErrorNumber {
        switch self {
        case .invalidURL: .divan(CBLError.invalidURL)
        case .resolvedElsewhere: .divan(CBLError.conflict)
        case .pullOnly, .unknownEndpoint, .unknownAuthenticator: .divan(CBLError.unsupported)
        case .unknownBlob, .noWayToBlob: .divan(CBLError.notFound)
        // The official reference promises `invalidParameter`, but the official core reports this.
        case .collectionNotReplicated: .divan(CBLError.notOpen)
        case .sameDatabase, .contradictoryTrust, .certificatesWithoutTLS, .unsendableHeader,
            .invalidProxies:
            .divan(CBLError.invalidParameter)
        }
    }
}

extension ReplicationFailure: CustomStringConvertible {
    /// One line: place, problem, remedy.
    var description: String {
        switch self {
        case .invalidURL(let text):
            "URLEndpoint: “\(text)” is not a URL; use ws://host:port/database or wss://…"
        case .resolvedElsewhere(let documentID):
            "document \(documentID): the conflict resolver returned a document of another "
                + "collection or database; return the local, the remote or a new document, or nil"
        case .sameDatabase(let name):
            "DatabaseEndpoint: source and target are both \(name); use another database as target"
        case .unknownEndpoint(let type):
            "ReplicatorConfiguration: unsupported endpoint type \(type); "
                + "use an endpoint of this module, such as URLEndpoint"
        case .unknownAuthenticator(let type):
            "unsupported authenticator type \(type); use an authenticator of this module"
        case .contradictoryTrust:
            "ReplicatorConfiguration: acceptOnlySelfSignedServerCertificate and "
                + "trustedRootCertificates are mutually exclusive; set only one"
        case .pullOnly:
            "Replicator: a pull-only replicator has no pending documents; "
                + "use the type push or pushAndPull"
        case .collectionNotReplicated(let name):
            "Replicator: collection \(name) is not in the configuration; add it"
        case .unknownBlob(let digest):
            "blob \(digest): not in the database, and not available from a peer; "
                + "sync its document"
        case .noWayToBlob(let digest):
            "blob \(digest): no replicator of its collection exists to download it; "
                + "keep a replicator, or pass a configuration"
        case .unsendableHeader(let name):
            "ReplicatorConfiguration: header \(name.debugDescription) cannot be sent; "
                + "remove line breaks, and use only letters, digits and hyphens in the name"
        case .certificatesWithoutTLS:
            "URLEndpointListener: a certificate authenticator requires TLS; set disableTLS to false"
        case .invalidProxies(let texts):
            "URLEndpointListener: invalid address or network in \(texts.joined(separator: ", ")); "
                + "use the form 10.0.0.1, ::1 or 10.0.0.0/8"
        }
    }
}

extension SyncError: NumberedError {
    /// Source: `errors.md` §2.
    var number: ErrorNumber {
        switch domain {
        case .liteCore: .divan(code)
        case .posix: ErrorNumber(domain: NSPOSIXErrorDomain, code: code)
        case .sqlite: ErrorNumber(domain: "CouchbaseLite.SQLite", code: code)
        case .fleece: ErrorNumber(domain: "CouchbaseLite.Fleece", code: code)
        case .network: .network(code)
        case .webSocket: .webSocket(code)
        case .mbedTLS: .divan(CBLError.unexpectedError)
        }
    }

    /// Without the code, which the public error has, if the message is complete.
    var sentence: String { hasRemedy ? message : description }
}

extension WebSocketURLError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.invalidURL) }
}

extension CredentialError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.crypto) }
}

extension TransportError: NumberedError {
    var number: ErrorNumber {
        switch code {
        case .network(let code): .network(code)
        case .webSocket(let code): .webSocket(code)
        case .posix(let number): .posix(number)
        }
    }
}

extension TLSError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.crypto) }
}

extension AuthenticationError: NumberedError {
    var number: ErrorNumber { .divan(CBLError.invalidParameter) }
}
