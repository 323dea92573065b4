import CouchbaseLiteSwift
import Foundation
import Testing

/// `api-map.md` §17: every name with its code.
@Suite struct ErrorDeclarations {
    private let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `codes 1 to 30 have their names`() {
        let codes: [Int] = [
            CBLError.assertionFailed, CBLError.unimplemented, CBLError.unsupportedEncryption,
            CBLError.badRevisionID, CBLError.corruptRevisionData, CBLError.notOpen,
            CBLError.notFound, CBLError.conflict, CBLError.invalidParameter,
            CBLError.unexpectedError, CBLError.cantOpenFile, CBLError.ioError,
            CBLError.memoryError, CBLError.notWriteable, CBLError.corruptData, CBLError.busy,
            CBLError.notInTransaction, CBLError.transactionNotClosed, CBLError.unsupported,
            CBLError.unreadableDatabase, CBLError.wrongFormat, CBLError.crypto,
            CBLError.invalidQuery, CBLError.missingIndex, CBLError.invalidQueryParam,
            CBLError.remoteError, CBLError.databaseTooOld, CBLError.databaseTooNew,
            CBLError.badDocID, CBLError.cantUpgradeDatabase,
        ]
        #expect(codes == Array(1...30))
        #expect(CBLError.domain == "CouchbaseLite")
    }

    @Test func `network codes have their names`() {
        let codes: [Int] = [
            CBLError.dnsFailure, CBLError.unknownHost, CBLError.timeout, CBLError.invalidURL,
            CBLError.tooManyRedirects, CBLError.tlsHandshakeFailed, CBLError.tlsCertExpired,
            CBLError.tlsCertUntrusted, CBLError.tlsClientCertRequired,
            CBLError.tlsClientCertRejected, CBLError.tlsCertUnknownRoot,
            CBLError.invalidRedirect,
        ]
        #expect(codes == Array(5_001...5_012))
        #expect(CBLError.networkBase == 5_000 && CBLError.unknownInterface == 5_027)
    }

    @Test func `HTTP and WebSocket codes have their names`() {
        let http: [Int] = [
            CBLError.httpBase, CBLError.httpAuthRequired, CBLError.httpForbidden,
            CBLError.httpNotFound, CBLError.httpProxyAuthRequired, CBLError.httpConflict,
            CBLError.httpEntityTooLarge, CBLError.httpImATeapot,
            CBLError.httpInternalServerError, CBLError.httpNotImplemented,
            CBLError.httpServiceUnavailable,
        ]
        let statuses = [0, 401, 403, 404, 407, 409, 413, 418, 500, 501, 503]
        #expect(http == statuses.map { 10_000 + $0 })
        let closes: [Int] = [
            CBLError.webSocketBase, CBLError.webSocketGoingAway, CBLError.webSocketProtocolError,
            CBLError.webSocketDataError, CBLError.webSocketAbnormalClose,
            CBLError.webSocketBadMessageFormat, CBLError.webSocketPolicyError,
            CBLError.webSocketMessageTooBig, CBLError.webSocketMissingExtension,
            CBLError.webSocketCantFulfill, CBLError.webSocketCloseUserTransient,
            CBLError.webSocketCloseUserPermanent,
        ]
        let offsets = [1_000, 1_001, 1_002, 1_003, 1_006, 1_007, 1_008, 1_009, 1_010, 1_011]
        #expect(closes == (offsets + [4_001, 4_002]).map { 10_000 + $0 })
    }

    @Test func `JSON and coding codes have their names`() {
        let codes: [Int] = [
            CBLError.invalidJSON, CBLError.decodingError, CBLError.encodingError,
        ]
        #expect(codes == [17_001, 18_001, 18_002])
    }

    @Test func `a thrown error is an NSError with a message`() throws {
        let collection = try place.open().defaultCollection()
        do {
            try collection.purge(id: "none")
            Issue.record("nothing was thrown")
        } catch let error as NSError {
            #expect(error.domain == CBLError.domain && error.code == CBLError.notFound)
            #expect(error.localizedDescription.contains("none"))
        }
    }
}
