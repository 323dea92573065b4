import CouchbaseLiteSwift
import DivanCBLite
import DivanCommandLine
import DivanCrypto
import DivanDatabase
import DivanExchange
import DivanJSON
import DivanPlatform
import DivanQuery
import DivanRevisions
import DivanSeal
import DivanStatus
import DivanTLS
import DivanTransport
import DivanWebSocket
import Foundation

extension Failure {
    /// Finds the exit code, the sentence and the hint for an error of any package.
    init(explaining error: any Error) {
        switch error {
        case let failure as Failure:
            self = failure
        case let error as StoreError:
            self.init(error)
        case let error as ExchangeError:
            self.init(error)
        case let error as StatusError:
            self.init(kind: .invalid, text: "\(error)")
        case let error as DocumentIDError:
            self.init(kind: .invalid, text: "\(error)")
        case let error as QueryError:
            self.init(kind: .invalid, text: "\(error)")
        case let error as JSONError:
            self.init(kind: .invalid, text: "\(error)")
        case let error as CredentialError:
            self.init(error)
        case let error as SealError:
            self.init(kind: .invalid, text: Self.namingOptions("\(error)"))
        case let error as CryptoError:
            self.init(kind: .failed, text: "\(error)")
        case let error as WebSocketURLError:
            self.init(kind: .usage, text: Self.namingOptions("\(error)"))
        case let error as TransportError:
            self.init(error)
        default:
            // A pattern `as NSError` crashes the program for one of Swift's own errors.
            if let error = (error as Any) as? NSError {
                // A listener's, about its certificate: as the commands for identities explain it.
                if let cause = error.userInfo[NSUnderlyingErrorKey] as? CredentialError {
                    self.init(cause)
                } else {
                    self.init(
                        kind: Kind(error),
                        text: Self.namingOptions(error.localizedDescription)
                    )
                }
                if error.domain == CBLError.domain { code = error.code }
            } else {
                self.init(kind: .failed, text: "\(error)")
            }
        }
    }

    /// Explains an error of an identity.
    private init(_ error: CredentialError) {
        self.init(kind: Kind(error.reason), text: "\(error)")
        switch error.reason {
        case .labelTaken(let label):
            let word = label.wordForShell
            sentence = "identity '\(label)' already exists"
            hint =
                "choose another label, remove the identity with 'divan identity rm \(word)', or "
                + "extend it with 'divan identity renew \(word)'"
        case .file(let path, let number)
        where path.utf8.starts(with: TLSIdentity.storeDirectory.utf8)
            && [
                .permissionDenied, .noSuchFileOrDirectory, .notDirectory, .notPermitted,
                .readOnlyFileSystem,
            ].contains(Errno(number)):
            hint =
                "set XDG_DATA_HOME or DIVAN_IDENTITY_DIRECTORY to a directory that you can write "
                + "to, or use 'divan serve --identity FILE'"
        default: break
        }
    }

    /// The text of an error about a URL, a key or a database, with options of the command instead of the API's names.
    static func namingOptions(_ text: String, _ key: KeyOptions = .current) -> String {
        text.replacing(
            "set an authenticator in the configuration",
            with: "use '--user' and '--password-file'"
        )
        .replacing(
            "or KeyForm.password for a password",
            with: "or add '\(key.isPassword)' if it is a password"
        )
        .replacing(" or Database.importing(fromPath:toDatabase:)", with: "")
    }

    /// There is no database at a path.
    static func noDatabase(_ path: DatabasePath) -> Failure {
        Failure(
            kind: .notFound,
            sentence: "\(path.bundle): database not found",
            hint: databaseHint(for: path)
        )
    }

    /// Explains an error of a store, with commands instead of the API's names.
    private init(_ error: StoreError) {
        self.init(kind: Kind(error.code), text: "\(error)")
        let path = DatabasePath(of: error)
        switch error.code {
        case .noSuchDatabase:
            sentence = "\(error.path): database not found"
            hint = Self.databaseHint(for: path)
        case .io(Errno.permissionDenied.rawValue) where path.lacksLogIndex:
            sentence = "\(path.bundle): cannot read the write-ahead log without write permission"
            hint =
                "copy the directory to a location that you can write to, or ask its owner to run "
                + "'divan info \(path.word)'"
        case .readOnly:
            sentence = "\(error.path): not writable"
            hint = "check the owner and the permissions of the file and its directory"
        case .noSuchCollection(let collection):
            sentence = "\(error.path): collection '\(collection.wireName)' not found"
            hint = Self.collectionHint(for: collection.wireName, in: path)
        case .notADatabase where path.hasOtherKey(error):
            self = Self.otherKey(path)
        case .notADatabase:
            guard let notice = CBLiteBundle.notice(about: path.bundle) else { return }
            self = Failure(kind: kind, text: "\(path.bundle): \(Self.namingOptions(notice))")
        case .noSuchBlob(let digest):
            sentence = "blob \(digest) is missing"
            hint = "run 'divan blob fetch \(path.word) URL' to download it from a peer"
        case .busy(.otherProcess):
            if let failure = Self.inUse(error.path) { self = failure }
        default: break
        }
    }

    /// Suggests the database of that name in the default directory of programs, if there is one.
    private static func databaseHint(for path: DatabasePath) -> String {
        let other = DatabasePath("\(DatabaseConfiguration().directory)/\(path.name)")
        return other.exists
            ? "the default directory has a database with this name: use '\(other.word)'"
            : "check the path, or run 'divan new \(path.word)' to create the database"
    }

    /// Suggests a collection with a similar name, or with the same name in another scope.
    private static func collectionHint(for name: String, in path: DatabasePath) -> String {
        let names = ((try? path.collectionNames()) ?? []).map(\.description)
        let meant =
            Spelling.nearest(to: name, among: names) ?? names.first { $0.hasSuffix(".\(name)") }
        return meant.map { "did you mean '\($0)'?" }
            ?? "run 'divan collections \(path.word)' to list the collections, or "
            + "'divan mkcoll \(path.word) \(name.wordForShell)' to create this one"
    }

    /// The failure for a database that another process has open; `nil` if the process is unknown.
    static func inUse(_ bundle: String) -> Failure? {
        HolderName.find(bundle).map { holder in
            let user = HolderName.otherUser(bundle)
            return Failure(
                kind: .database,
                sentence: "\(bundle): in use by \(holder)" + user.map { ", user \($0)" }.orEmpty,
                hint: user.map { user in
                    "run 'sudo -u \(user.wordForShell) divan …' to work as that user, or wait "
                        + "until the process has ended"
                } ?? "stop that process, or wait until it has ended"
            )
        }
    }

    /// The failure for a key that does not open the database.
    static func otherKey(_ path: DatabasePath) -> Failure {
        Failure(
            kind: .database,
            sentence: "\(path.bundle): wrong encryption key or password",
            hint: "use the current key; if it is the current key, the file is damaged: restore a "
                + "backup"
        )
    }
}

extension DatabasePath {
    /// Whether an error says that the key does not open the database.
    func hasOtherKey(_ error: StoreError) -> Bool {
        // A plain database is not opened with a key.
        if case .notADatabase = error.code { isSealed } else { false }
    }

    /// Whether there are commits in a log, but not the index file that locates them.
    fileprivate var lacksLogIndex: Bool {
        guard let log = try? FileStatus(of: bundle + "/db.sqlite3-wal") else { return false }
        return log.byteCount > 0 && (try? FileStatus(of: bundle + "/db.sqlite3-shm")) == nil
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
            .readOnly, .diskFull, .io, .sqlite, .checkpointMismatch, .unknownCodec, .engineFailed,
            .engineUnsupported:
            self = .database
        }
    }

    init(_ reason: CredentialError.Reason) {
        switch reason {
        case .file(_, errno: Errno.noSuchFileOrDirectory.rawValue),
            .file(_, errno: Errno.notDirectory.rawValue):
            self = .notFound
        case .labelTaken, .file(_, errno: Errno.fileExists.rawValue): self = .conflict
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

    /// Classifies an error of the system: local, or on the way to a peer.
    private init(_ number: Int32) {
        switch Errno(number) {
        case .addressInUse, .addressNotAvailable, .permissionDenied, .notPermitted,
            .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory:
            self = .failed
        case .noSuchFileOrDirectory, .notDirectory: self = .notFound
        case .fileExists: self = .conflict
        case .noSpace, .diskQuotaExceeded, .fileTooLarge, .ioError, .readOnlyFileSystem:
            self = .database
        default: self = .unreachable
        }
    }
}
