import Divan
import DivanCBLite
import DivanCommandLine
import DivanCrypto
import DivanJSON
import DivanQuery
import DivanRevisions
import DivanSeal
import DivanStatus
import DivanStore
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

extension Failure {
    /// Finds the exit code and the sentence for an error of any package.
    init(explaining error: any Error) {
        switch error {
        case let error as StoreError:
            self.init(kind: Kind(error.code), sentence: Self.sentence(of: error))
        case let error as StatusError:
            self.init(kind: .invalid, sentence: "\(error)")
        case let error as DocumentIDError:
            self.init(kind: .invalid, sentence: "\(error)")
        case let error as QueryError:
            self.init(kind: .invalid, sentence: "\(error)")
        case let error as JSONError:
            self.init(kind: .invalid, sentence: "\(error)")
        case let error as CredentialError:
            self.init(kind: Kind(error.reason), sentence: Self.sentence(of: error))
        case let error as SealError:
            self.init(kind: .invalid, sentence: Self.namingOptions("\(error)"))
        case let error as CryptoError:
            self.init(kind: .failed, sentence: "\(error)")
        case let error as WebSocketURLError:
            self.init(kind: .usage, sentence: Self.namingOptions("\(error)"))
        case let error as TransportError:
            self.init(error)
        default:
            // A pattern `as NSError` crashes the program for one of Swift's own errors.
            if let error = (error as Any) as? NSError {
                self.init(
                    kind: Kind(error),
                    sentence: Self.namingOptions(error.localizedDescription)
                )
                if error.domain == CBLError.domain { code = error.code }
                // A listener's, about its certificate: as the verbs for identities explain it.
                if let cause = error.userInfo[NSUnderlyingErrorKey] as? CredentialError {
                    kind = Kind(cause.reason)
                    sentence = Self.sentence(of: cause)
                }
            } else {
                self.init(kind: .failed, sentence: "\(error)")
            }
        }
    }

    /// The sentence of an identity's error for a user of verbs.
    private static func sentence(of error: CredentialError) -> String {
        switch error.reason {
        case .labelTaken(let label):
            let word = label.quotedForShell
            return
                "there is an identity \"\(label)\" already; choose another label, or forget that one "
                + "with divan identity rm \(word); divan identity renew \(word) extends it"
        case .file(let path, let number)
        where path.utf8.starts(with: TLSIdentity.storeDirectory.utf8)
            && [EACCES, ENOENT, ENOTDIR, EPERM, EROFS].contains(number):
            return "\(error)".replacing(
                "check the path and its permissions",
                with: "set XDG_DATA_HOME or DIVAN_IDENTITY_DIRECTORY to a directory of yours, or "
                    + "give divan serve --identity FILE"
            )
        default: return "\(error)"
        }
    }

    /// The sentence of an error about a URL or a key for a user of options, not of an interface.
    static func namingOptions(_ sentence: String, _ key: KeyOptions = .current) -> String {
        sentence.replacing(
            "set an authenticator in the configuration",
            with: "give them with --user and --password-file"
        )
        .replacing(
            "or say that it is a password",
            with: "or add \(key.isPassword) if it is a password"
        )
    }

    /// The sentence of a store's error for a user of verbs, not of an interface.
    private static func sentence(of error: StoreError) -> String {
        switch error.code {
        case .noSuchDatabase: Self.noDatabase(at: error)
        case .io(EACCES) where DatabasePath(of: error).lacksLogIndex:
            "\(DatabasePath(of: error).bundle): its log cannot be read where you may not write; copy the "
                + "whole directory to where you may, or let its owner open it once (divan info)"
        case .readOnly:
            "\(error.path): cannot be written to; check its owner and permissions, and those of its "
                + "directory"
        case .noSuchCollection(let path): Self.noCollection(path.wireName, at: error)
        case .notADatabase where DatabasePath(of: error).hasOtherKey(error):
            Self.otherKey(DatabasePath(of: error))
        case .notADatabase: Self.notice(about: error) ?? "\(error)"
        case .noSuchBlob(let digest):
            "blob \(digest) is not here; divan blob fetch \(DatabasePath(of: error).word) URL brings it, "
                + "if a peer has it"
        case .busy(.otherProcess): Self.inUse(error.path) ?? "\(error)"
        default: "\(error)"
        }
    }

    /// Names the database of that name that is where programs keep theirs, if there is one.
    private static func noDatabase(at error: StoreError) -> String {
        let name = DatabasePath(of: error).name
        let other = DatabasePath("\(DatabaseConfiguration().directory)/\(name)")
        let remedy =
            other.exists
            ? "programs that choose no directory have one of that name: type \(other.word), or "
                + "make one here with divan new"
            : "check the path, or make one with divan new"
        return "\(error.path): there is no database here; \(remedy)"
    }

    /// Names the collection that was probably meant: one with a similar name, or in another scope.
    private static func noCollection(_ name: String, at error: StoreError) -> String {
        let names = ((try? DatabasePath(of: error).collectionNames()) ?? []).map(\.description)
        let meant =
            Spelling.nearest(to: name, among: names) ?? names.first { $0.hasSuffix(".\(name)") }
        return "\(error.path): there is no collection \(name) here; "
            + meant.map { "did you mean \($0)? " }.orEmpty
            + "divan lscoll lists those that are, divan mkcoll makes one"
    }

    /// Names the process that has a database open; `nil` if the system does not know.
    static func inUse(_ bundle: String) -> String? {
        HolderName.find(bundle).map { holder in
            guard let user = HolderName.otherUser(bundle) else {
                return "\(bundle): in use by \(holder); end it, or wait until it is done"
            }
            return "\(bundle): in use by \(holder), which another user runs; type "
                + "sudo -u \(user.wordForShell) divan … to work as that user, or wait until it is done"
        }
    }

    /// The sentence for a key that does not open the database.
    static func otherKey(_ path: DatabasePath) -> String {
        "\(path.bundle): wrong key or password; give the one that it was sealed with last (if this is "
            + "that one, the file is damaged: restore a backup)"
    }

    /// What a Couchbase Lite database is, and how to migrate it.
    private static func notice(about error: StoreError) -> String? {
        let bundle = DatabasePath(of: error).bundle
        return CBLiteBundle.notice(about: bundle).map { "\(bundle): \($0)" }
    }
}

extension DatabasePath {
    /// Whether an error says that the database has another key than the one that was given.
    func hasOtherKey(_ error: StoreError) -> Bool {
        // Without a key, nobody has tried to open it.
        if case .notADatabase = error.code { isSealed } else { false }
    }

    /// Whether there are commits in a log, but not the index file that locates them.
    fileprivate var lacksLogIndex: Bool {
        var status = stat()
        return stat(bundle + "/db.sqlite3-wal", &status) == 0 && status.st_size > 0
            && stat(bundle + "/db.sqlite3-shm", &status) != 0
    }

    /// The database that an error is about; it may name a file in it.
    fileprivate init(of error: StoreError) {
        var place = error.path
        for file in ["/db.sqlite3", "/Attachments"] where place.hasSuffix(file) {
            place.removeLast(file.count)
        }
        self.init(place)
    }
}

extension Failure.Kind {
    init(_ code: StoreError.Code) {
        switch code {
        case .noSuchDatabase, .noSuchCollection, .notFound, .noSuchBlob:
            self = .notFound
        case .bodyTooLarge, .tooManyBlobs, .forbiddenKey, .badRevision, .blobMismatch:
            self = .invalid
        case .alreadyExists, .conflict:
            self = .conflict
        case .notOpen, .tooNew, .corrupt, .damagedDocument, .notADatabase, .busy,
            .readOnly, .diskFull, .io, .sqlite, .checkpointMismatch, .unknownCodec:
            self = .database
        }
    }

    init(_ reason: CredentialError.Reason) {
        switch reason {
        case .file(_, errno: ENOENT): self = .notFound
        case .labelTaken, .file(_, errno: EEXIST): self = .conflict
        case .file, .library: self = .failed
        default: self = .invalid
        }
    }

    /// Classifies the codes of the public API: refusals, unreachable peers, everything else.
    init(_ error: NSError) {
        if error.domain == NSPOSIXErrorDomain {
            let cause = error.userInfo[NSUnderlyingErrorKey] as? StoreError
            self = cause.map { Self($0.code) } ?? Self(Int32(clamping: error.code))
            return
        }
        guard error.domain == "CouchbaseLite" else {
            self = .failed
            return
        }
        switch error.code {
        case CBLError.invalidURL: self = .usage
        case 10_404, 7: self = .notFound
        case 10_409, 8: self = .conflict
        case 5006...5011, 5014, 5015, 10_401, 10_403, 10_407: self = .refused
        case 5001...5027, 10_408, 10_429, 10_500...10_599, 11_000...14_002: self = .unreachable
        case 16, 11...15, 19, 20, 28: self = .database
        case 5, 9, 17_001, 23...25, 29: self = .invalid
        default: self = .failed
        }
    }

    /// Classifies what the system refused: here, or on the way to a peer.
    private init(_ number: Int32) {
        switch number {
        case EADDRINUSE, EADDRNOTAVAIL, EACCES, EPERM, EMFILE, ENFILE, ENOMEM: self = .failed
        case ENOENT: self = .notFound
        case EEXIST: self = .conflict
        case ENOSPC, EDQUOT, EFBIG, EIO, EROFS: self = .database
        default: self = .unreachable
        }
    }
}
