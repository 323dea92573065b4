import DivanLog
import Synchronization
import Testing

/// What sinks get of user data.
@Suite struct LogRedactionTests {
    private struct Refusal: Error, LogRepresentable {
        let user: String

        var logMessage: LogMessage { "\(user: user) was refused" }
    }

    private struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    private static let message: LogMessage =
        "Document \(user: "passport") of \(address: "203.0.113.7") has \(3) leaves"

    @Test func `user data is unchanged without redaction`() {
        let text = Self.message.text(.none)
        #expect(text == "Document passport of 203.0.113.7 has 3 leaves")
    }

    @Test func `user data is tagged at the level partial, and addresses are not`() {
        let text = Self.message.text(.partial)
        #expect(text == "Document <ud>passport</ud> of 203.0.113.7 has 3 leaves")
    }

    @Test func `user data and addresses are replaced at the level full`() throws {
        let text = Self.message.text(.full)
        let pattern =
            #/Document <ud>[0-9a-f]{16}</ud> of <sd>[0-9a-f]{16}</sd> has 3 leaves/#
        #expect(try pattern.wholeMatch(in: text) != nil, "\(text)")
    }

    @Test func `equal values have equal codes, and others do not`() {
        let full = LogRedaction.full
        #expect(full.user("anna") == full.user("anna"))
        #expect(full.user("anna") != full.user("Anna"))
        // The same letter, as one scalar and as two.
        #expect(full.user("\u{E9}") != full.user("e\u{301}"))
    }

    @Test func `a value cannot end its tag`() {
        #expect(LogRedaction.partial.user("a</ud>b<ud>c") == "<ud>a&lt;/ud>b<ud>c</ud>")
    }

    @Test func `an error marks its own user data`() {
        let error: any Error = Refusal(user: "anna")
        let messages: [LogMessage] = ["\(error)!", "\(Refusal(user: "anna"))!"]
        for message in messages {
            #expect(message.text(.partial) == "<ud>anna</ud> was refused!")
        }
    }

    @Test func `an error of an unknown type is user data as a whole`() {
        let message: LogMessage = "failed: \(Unknown(description: "anna is ill"))"
        #expect(message.text(.none) == "failed: anna is ill")
        #expect(message.text(.partial) == "failed: <ud>anna is ill</ud>")
        #expect(!message.text(.full).contains("anna"))
    }

    @Test func `messages can be joined`() {
        let user: LogMessage = ", user \(user: "anna")"
        let message: LogMessage = "refused\(user)" + ": wrong password"
        #expect(message.text(.partial) == "refused, user <ud>anna</ud>: wrong password")
    }

    @Test func `sinks receive the redacted text of later entries`() {
        let kept = Mutex<[String]>([])
        let router = LogRouter(sinks: [
            ClosureSink(level: .info) { entry in kept.withLock { $0.append(entry.message) } }
        ])
        let log = Log(.database, to: router)
        log.info("for \(user: "anna")")
        router.redaction = .partial
        log.info("for \(user: "anna")")
        #expect(kept.withLock { $0 } == ["for anna", "for <ud>anna</ud>"])
    }

    @Test func `the README example of redaction works`() {
        let kept = Mutex<[String]>([])
        let router = LogRouter(sinks: [
            ClosureSink(level: .info) { entry in kept.withLock { $0.append(entry.message) } }
        ])
        let log = Log(.database, to: router)
        let (documentID, client, error) = ("passport", "203.0.113.7", Refusal(user: "anna"))
        router.redaction = .partial
        log.warning("document \(user: documentID) of \(address: client): \(error)")
        let text = "document <ud>passport</ud> of 203.0.113.7: <ud>anna</ud> was refused"
        #expect(kept.withLock { $0 } == [text])
    }
}
