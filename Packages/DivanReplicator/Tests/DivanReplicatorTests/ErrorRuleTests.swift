import DivanPlatform
import DivanRevisions
import DivanStore
import Foundation
import Testing

@testable import DivanBLIP
@testable import DivanReplicator

/// The consequences of errors, and the same two tables in `Docs/errors.md`.
@Suite struct ErrorRuleTests {
    /// The rows of a table of the page, without its header.
    private func page(_ heading: String) throws -> [String] {
        let root = URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/")
        let text = try String(contentsOfFile: "\(root)/Docs/errors.md", encoding: .utf8)
        let section = try #require(
            text.components(separatedBy: "\n## \(heading)\n").dropFirst().first
        )
        let lines = section.components(separatedBy: "\n## ")[0].components(separatedBy: "\n")
        return Array(lines.filter { $0.hasPrefix("|") }.dropFirst(2))
    }

    private func name(_ code: WireCode) -> String { "\(code.domainName)/\(code.number)" }

    /// The domain and code seen by an application; `DivanTests` checks the API against them.
    private func publicName(_ code: WireCode) -> String {
        switch code {
        case .liteCore(let code): "\(code.rawValue)"
        case .network(let code): "\(5_000 + code.rawValue)"
        case .http, .close: "\(10_000 + code.number)"
        case .posix(let number): "POSIX \(number)"
        case .sqlite, .fleece, .mbedTLS: name(code)
        }
    }

    private func row(_ rule: ErrorRule, of code: String, publicly: String) -> String {
        let fault =
            switch rule.fault {
            case .peer: "the peer's"
            case .caller: "the caller's"
            case .environment: "the environment's"
            case .storedData: "the stored data's"
            }
        let told = rule.told.map { name(.http($0)) } ?? "the same"
        let closes = rule.closes.map { "\($0.rawValue)" } ?? "–"
        let recovery =
            switch rule.recovery {
            case .none: "stops"
            case .retry: "retries"
            case .whenContinuous: "offline"
            }
        return "| \(code) | \(publicly) | \(fault) | \(told) | \(closes) | \(recovery) |"
    }

    @Test func `the error page documents how each code is handled`() throws {
        var rows = ErrorRule.all.map { row($0, of: name($0.code), publicly: publicName($0.code)) }
        let families: [(WireCode, String)] = [
            (.http(HTTPStatus(rawValue: 999)), "10000 + code"),
            (.close(CloseCode(rawValue: 4_999)), "10000 + code"),
            (.liteCore(LiteCoreCode(rawValue: 999)), "code"),
            (.network(NetworkCode(rawValue: 999)), "5000 + code"), (.posix(0), "POSIX code"),
            (.sqlite(1), "SQLite code"), (.fleece(1), "Fleece code"), (.mbedTLS(-1), "10"),
        ]
        for (code, publicly) in families {
            let rule = ErrorRule.family(of: code)
            rows.append(row(rule, of: "other \(code.domainName)", publicly: publicly))
        }
        #expect(try page("How replications handle errors") == rows)
    }

    @Test func `POSIX codes have the values of the operating system`() {
        #expect(POSIXCode.noSpace == Int(Errno.noSpace.rawValue))
        let shortLived = [
            Errno.networkReset, .connectionAbort, .connectionReset, .timedOut, .connectionRefused,
        ].map(\.rawValue)
        #expect(POSIXCode.shortLived == shortLived.map { Int($0) })
        let offline = [
            Errno.brokenPipe, .addressNotAvailable, .networkDown, .networkUnreachable,
            .socketNotConnected, .hostIsDown, .noRouteToHost,
        ].map(\.rawValue)
        #expect(POSIXCode.offline == offline.map { Int($0) })
        let wantOfMeans = [
            Errno.wouldBlock, .noMemory, .tooManyOpenFilesInSystem, .tooManyOpenFiles,
        ].map(\.rawValue)
        #expect(POSIXCode.wantOfMeans == wantOfMeans.map { Int($0) })
    }

    private static let digest = BlobDigest(hashing: [UInt8]().span)
    private static let storeErrors: [StoreError.Code] = [
        .notOpen, .noSuchDatabase, .alreadyExists, .notFound(documentID: "a"),
        .noSuchCollection(.default), .conflict(documentID: "a", current: nil),
        .bodyTooLarge(byteCount: 2, limit: 1), .tooManyBlobs(documentID: "a", count: 2, limit: 1),
        .forbiddenKey(documentID: "a", key: "_id"),
        .badRevision(documentID: "a", .parentMissing), .checkpointMismatch(current: nil),
        .tooNew(version: 2, supported: 1), .unknownCodec(number: 9), .corrupt(""),
        .damagedDocument(documentID: "a", ""), .notADatabase(""), .busy(.otherProcess), .readOnly,
        .diskFull, .io(5), .noSuchBlob(digest), .blobMismatch(expected: digest, actual: digest),
        .sqlite(1, ""), .engineFailed(name: "a", ""), .engineUnsupported(name: "a", ""),
    ]

    @Test func `the error page documents how database errors are reported`() throws {
        let rows = Self.storeErrors.map { code in
            let label = "\(code)".prefix { $0 != "(" }
            let error = SyncError(storage: StoreError(code))
            let rule = ErrorRule.of(error.wireCode, isFromPeer: error.isFromPeer)
            return row(
                rule,
                of: "`\(label)` → \(name(error.wireCode))",
                publicly: publicName(error.wireCode)
            )
        }
        #expect(try page("How database errors are reported in a replication") == rows)
    }

    private static let brokenRules: [BLIPError.Reason] = [
        .truncatedFrame(byteCount: 1), .varintTooLong, .frameTooLarge(byteCount: 2, limit: 1),
        .checksum(received: 1, computed: 2), .compression(""), .messageTooLarge(limit: 1),
        .openBytes(limit: 1), .openMessages(limit: 1), .unansweredRequests(limit: 1),
        .queuedReplies(limit: 1), .propertiesTooLarge(byteCount: 2, limit: 1),
        .truncatedProperties, .malformedProperties, .requestNumber(2, expected: 1),
        .replyNumber(1),
    ]

    @Test func `the error page documents how protocol violations are reported`() throws {
        let rows = Self.brokenRules.map { reason in
            let label = "\(reason)".prefix { $0 != "(" }
            let code = WireCode.close(BLIPError(reason: reason, frameIndex: 0).toldCode)
            return "| `\(label)` | \(name(code)) |"
        }
        #expect(try page("How protocol violations are reported") == rows)
    }

    @Test func `a database error reported by the peer is blamed on the peer, not on this database`()
    {
        let here = SyncError(.posix, 28)
        let there = SyncError(.posix, 28, isFromPeer: true)
        #expect(here.fault == .environment && here.closeCode == .doNotRetry && here.isLocalFailure)
        #expect(there.fault == .peer && there.closeCode == nil && !there.isLocalFailure)
        #expect(here.toldCode == .http(.serviceUnavailable))
        #expect(there.toldCode == .http(.internalError))
        #expect(SyncError(.liteCore, 15).fault == .storedData)
        #expect(SyncError(.liteCore, 15, isFromPeer: true).fault == .peer)
    }

    @Test(arguments: [
        (404, "HTTP", WireCode.http(.notFound)), (1001, "WebSocket", .close(.goingAway)),
        (4_999, "WebSocket", .close(CloseCode(rawValue: 4_999))),
        (-1, "HTTP", .http(HTTPStatus(rawValue: -1))),
    ])
    func `HTTP and WebSocket codes share one domain`(number: Int, name: String, code: WireCode) {
        let read = WireCode(.webSocket, number)
        #expect(read == code && read.domainName == name && read.number == number)
    }
}
