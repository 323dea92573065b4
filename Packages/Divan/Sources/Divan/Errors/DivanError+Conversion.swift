@_spi(Modern) internal import CouchbaseLiteSwift
internal import DivanDatabase
internal import DivanExchange
internal import DivanPlatform
internal import DivanQuery
internal import Foundation

extension DivanError {
    /// Converts an error of the layers below; an error of this type is returned unchanged.
    ///
    /// Every conversion is here. `place` is used unless the error names a place of its own.
    init(_ error: any Error, place: @autoclosure () -> String = "") {
        if let error = error as? DivanError {
            self = error
            return
        }
        if error is CancellationError {
            self.init(.cancelled, place: place(), problem: "cancelled", underlying: error)
            return
        }
        if let stop = error as? QueryStop {
            let text = Text(stop.description)
            self.init(
                Self.code(of: stop),
                place: place(),
                problem: text.problem,
                remedy: text.remedy,
                underlying: error
            )
            return
        }
        if let error = error as? ExchangeError {
            self.init(error, place: place())
            return
        }
        if let error = error as? SystemError {
            self.init(
                Self.code(errno: error.errno.rawValue),
                place: place(),
                problem: error.errno.text,
                remedy: error.errno == .noSpace
                    ? "free some space" : "check the path and its permissions",
                underlying: error
            )
            return
        }
        // On Linux, this cast alone succeeds for any NSError.
        if let error = error as? CocoaError, (error as NSError).domain == NSCocoaErrorDomain {
            self.init(
                Self.code(of: error),
                place: place(),
                problem: Self.problem(of: error),
                remedy: "check the path and its permissions",
                underlying: error
            )
            return
        }
        let official = publicForm(of: error)
        let cause = Self.cause(of: error)
        let store = (cause ?? error) as? StoreError
        let code = Self.code(domain: official.domain, official.code, store)
        // The storage engine cannot tell encrypted text from any other.
        let text =
            code == .wrongKey
            ? Text("the encryption key is wrong or missing; open it with its key")
            : Text(store?.explanation ?? official.localizedDescription)
        let own = store == nil ? text.place : nil
        self.init(
            code,
            place: own ?? Self.place(of: store, place()),
            problem: text.problem,
            remedy: text.remedy,
            underlying: cause ?? error,
            canRetry: Self.passes(domain: official.domain, official.code)
        )
    }

    /// Converts an error of an export, an import, a dump or a restoration.
    private init(_ error: ExchangeError, place: @autoclosure () -> String) {
        if error.code == .refused, let cause = error.cause {
            self.init(cause, place: error.place ?? place())
            return
        }
        self.init(
            Self.code(of: error.code),
            place: error.place ?? place(),
            problem: error.problem,
            remedy: error.remedy,
            underlying: error
        )
    }

    /// The place that a caller names, or else the file that the store names.
    private static func place(of store: StoreError?, _ place: String) -> String {
        place.isEmpty ? store?.path ?? "" : place
    }

    /// What an official error wraps; its own text is already that of the cause.
    private static func cause(of error: any Error) -> (any Error)? {
        guard type(of: error) is NSError.Type else { return nil }
        return (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    }

    /// Runs `body` and converts what it throws.
    static func converting<Output>(
        place: @autoclosure () -> String = "",
        _ body: () throws -> Output
    ) throws -> Output {
        do {
            return try body()
        } catch {
            throw DivanError(error, place: place())
        }
    }

    /// Passes the items that `enumerate` finds to a closure of the caller.
    ///
    /// An error of `body` ends the enumeration and is rethrown unchanged; any other is converted.
    static func passing<Item>(
        to body: (Item) throws -> Void,
        place: @autoclosure () -> String,
        _ enumerate: (_ pass: (Item) throws -> Void) throws -> Void
    ) throws {
        var own: (any Error)?
        do {
            try withoutActuallyEscaping(body) { body in
                try enumerate { item in
                    do {
                        try body(item)
                    } catch {
                        own = error
                        throw error
                    }
                }
            }
        } catch {
            throw own ?? DivanError(error, place: place())
        }
    }

    /// The parts of a message of the form `place: problem; remedy`.
    private struct Text {
        var place: String?
        var problem: String
        var remedy: String?

        /// More bytes than any place has; longer ones are part of the problem.
        private static let placeByteCount = 300

        init(_ message: String) {
            problem = message
            if let end = problem.range(of: "; ", options: .backwards) {
                remedy = String(problem[end.upperBound...])
                problem = String(problem[..<end.lowerBound])
            }
            defer { explain() }
            guard let colon = problem.range(of: ": "),
                problem[..<colon.lowerBound].utf8.count <= Self.placeByteCount
            else { return }
            let place = String(problem[..<colon.lowerBound])
            problem = String(problem[colon.upperBound...])
            // The name of a type of the compatible API is no place here.
            let isTypeName = place.first?.isUppercase == true && !place.contains(" ")
            self.place = isTypeName ? nil : place
        }

        /// Replaces texts that the compatible API has in common with Couchbase Lite.
        private mutating func explain() {
            if let name = problem.wholeMatch(of: /Unknown query property '(.*)'/)?.1 {
                problem = "the query has no parameter $\(name)"
                remedy = "write $\(name) in the query, or do not pass it"
            } else if let name = problem.wholeMatch(of: /'match' test .* named (.*)\)/)?.1 {
                problem = "there is no full-text index \(name)"
                remedy = "create it with createIndex(_:_:)"
            } else if place == "malformed full-text query" {
                problem = "malformed full-text query: \(problem)"
                place = nil
                remedy = "pass the input of a user through Index.searchText(escaping:)"
            }
        }
    }
}

// MARK: - Codes

extension DivanError {
    private static func code(of stop: QueryStop) -> Code {
        switch stop {
        case .cancelled: .cancelled
        case .tookTooLong: .timeout
        case .leftWaiting: .unexpected
        case .tookTooMuchMemory, .othersHoldMemory: .outOfMemory
        }
    }

    private static func code(of code: ExchangeError.Code) -> Code {
        switch code {
        case .invalid, .invalidDocument, .textTooLong, .extendedID, .noDump,
            .notCouchDocument, .noRevisionHistory, .notTreeRevision:
            .decodingFailed
        case .notFound: .notFound
        case .reading(let number), .writing(let number): Self.code(errno: number)
        case .damagedDatabase, .damagedDocument, .damagedBlob: .corrupt
        case .blobTooLarge, .documentTooLong, .tooManyColumns: .tooLarge
        case .notContinuable, .ambiguousSeparator, .noIDKey, .noPath: .invalidArgument
        case .undumpable, .noZstd: .unsupported
        case .unreadableBlob, .sqlite: .ioFailed
        case .refused: .unexpected
        }
    }

    private static func problem(of error: CocoaError) -> String {
        switch code(of: error) {
        case .notFound: "the file does not exist"
        case .alreadyExists: "the file already exists"
        case .permissionDenied: "access to the file is denied"
        case .diskFull: "no space left on the disk"
        case .readOnly: "the disk is read-only"
        default: "the file cannot be read or written (Foundation error \(error.errorCode))"
        }
    }

    /// Errors of Foundation's file system calls.
    private static func code(of error: CocoaError) -> Code {
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: .notFound
        case .fileReadNoPermission, .fileWriteNoPermission: .permissionDenied
        case .fileWriteFileExists: .alreadyExists
        case .fileWriteOutOfSpace: .diskFull
        case .fileWriteVolumeReadOnly: .readOnly
        default: .ioFailed
        }
    }

    private static func code(domain: String, _ number: Int, _ store: StoreError?) -> Code {
        if let store, let code = code(of: store) { return code }
        switch domain {
        case CBLError.domain: return code(official: number)
        case NSPOSIXErrorDomain: return code(errno: Int32(truncatingIfNeeded: number))
        case NSURLErrorDomain: return .notFound
        case "CouchbaseLite.SQLite": return number == 1 ? .invalidQuery : .ioFailed
        case "CouchbaseLite.Fleece": return .corrupt
        default: return .unexpected
        }
    }

    /// Where the code of the store is more exact than the official one.
    private static func code(of error: StoreError) -> Code? {
        switch error.code {
        case .bodyTooLarge, .tooManyBlobs: .tooLarge
        case .forbiddenKey: .invalidArgument
        case .notADatabase(let detail):
            detail.contains("key") || detail.contains("file is not a database")
                ? .wrongKey : .notADatabase
        case .diskFull: .diskFull
        default: nil
        }
    }

    private static func code(official number: Int) -> Code {
        switch number {
        case CBLError.networkBase...: networkCode(number)
        case CBLError.notFound: .notFound
        case CBLError.conflict: .conflict
        case CBLError.notOpen: .notOpen
        case CBLError.busy: .busy
        case CBLError.notInTransaction, CBLError.transactionNotClosed: .insideTransaction
        case CBLError.notWriteable: .readOnly
        case CBLError.invalidParameter, CBLError.badDocID, CBLError.corruptRevisionData:
            .invalidArgument
        case CBLError.invalidQuery, CBLError.invalidQueryParam: .invalidQuery
        case CBLError.missingIndex: .missingIndex
        case CBLError.corruptData, CBLError.badRevisionID: .corrupt
        case CBLError.unreadableDatabase: .wrongKey
        case CBLError.databaseTooOld, CBLError.databaseTooNew, CBLError.cantUpgradeDatabase:
            .unsupportedVersion
        case CBLError.unsupported, CBLError.unimplemented, CBLError.unsupportedEncryption,
            CBLError.wrongFormat:
            .unsupported
        case CBLError.cantOpenFile, CBLError.ioError: .ioFailed
        case CBLError.memoryError: .outOfMemory
        case CBLError.crypto: .invalidIdentity
        case CBLError.remoteError: .peerFailed
        default: .unexpected
        }
    }

    /// A revoked certificate, and one for another host: the compatible API has no names for these codes.
    private static let certificateProblems = [14, 15].map { CBLError.networkBase + $0 }

    private static func networkCode(_ number: Int) -> Code {
        switch number {
        case CBLError.invalidJSON, CBLError.decodingError: .decodingFailed
        case CBLError.encodingError: .encodingFailed
        case CBLError.invalidURL: .invalidArgument
        case CBLError.timeout: .timeout
        case CBLError.tlsCertExpired, CBLError.tlsCertUntrusted, CBLError.tlsCertUnknownRoot:
            .untrusted
        case _ where certificateProblems.contains(number): .untrusted
        case CBLError.tlsClientCertRequired, CBLError.tlsClientCertRejected,
            CBLError.httpAuthRequired, CBLError.httpProxyAuthRequired:
            .unauthorized
        case CBLError.httpForbidden: .forbidden
        case CBLError.httpNotFound: .notFound
        case CBLError.httpConflict: .conflict
        case CBLError.httpEntityTooLarge, CBLError.webSocketMessageTooBig: .tooLarge
        case CBLError.httpServiceUnavailable, CBLError.webSocketGoingAway,
            CBLError.webSocketAbnormalClose, CBLError.webSocketCloseUserTransient:
            .unreachable
        case CBLError.networkBase..<CBLError.httpBase: .unreachable
        default: .peerFailed
        }
    }

    private static func code(errno number: Int32) -> Code {
        switch number {
        case ENOENT, ENOTDIR: .notFound
        case EEXIST: .alreadyExists
        case ENOSPC, EDQUOT: .diskFull
        case EROFS: .readOnly
        case EACCES, EPERM: .permissionDenied
        case ENOMEM: .outOfMemory
        case ETIMEDOUT: .timeout
        case ECANCELED: .cancelled
        case EADDRINUSE: .busy
        case ECONNREFUSED, ECONNRESET, ECONNABORTED, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH,
            ENETDOWN, ENETRESET, EPIPE, ENOTCONN, EADDRNOTAVAIL:
            .unreachable
        default: .ioFailed
        }
    }

    /// Whether a retry can help, where that depends on more than the code.
    private static func passes(domain: String, _ number: Int) -> Bool? {
        guard domain == CBLError.domain else { return nil }
        return switch number {
        case CBLError.unknownHost, CBLError.tooManyRedirects, CBLError.invalidRedirect,
            CBLError.unknownInterface, CBLError.tlsHandshakeFailed:
            false
        case CBLError.httpInternalServerError: true
        default: nil
        }
    }
}
