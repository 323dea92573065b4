import DivanAuth
import DivanTestKit
import Testing

/// The `Authorization` header for Basic: published vectors, and everything that is invalid.
@Suite struct BasicCredentialsTests {
    struct Vectors: Decodable {
        struct Basic: Decodable {
            let username: String
            let password: String
            let header: String
        }
        let basicAuth: [Basic]
    }

    @Test func `encodes and decodes the test vectors`() throws {
        let vectors = try Fixture("handshake.json").decoded(as: Vectors.self).basicAuth
        #expect(vectors.count == 2)
        for vector in vectors {
            let (username, password) = (vector.username, vector.password)
            let credentials = try BasicCredentials(username: username, password: password)
            #expect(credentials.header == vector.header)
            #expect(BasicCredentials(header: vector.header) == credentials)
        }
    }

    @Test func `the first colon ends the user name, even before a combining mark`() {
        // "user:" then U+0301, which joins the colon into one Character.
        let header = "Basic dXNlcjrMgTpw"
        let credentials = BasicCredentials(header: header)
        #expect(credentials?.username == "user")
        #expect(credentials?.password == "\u{301}:p")
    }

    @Test(arguments: ["basic cDpw", "BASIC cDpw", "Basic   cDpw"])
    func `the scheme is parsed with any case and spacing`(header: String) {
        #expect(BasicCredentials(header: header)?.username == "p")
    }

    @Test(arguments: [
        "", "Basic", "Basic ", "cDpw", "Bearer cDpw", "Basic cDpw=", "Basic cDp", "Basic c Dpw",
        "Basic cHA=", "Basic _-__", "Basic /zo=", "Basic CTph", "Basiccpw cDpw",
        "Basic " + String(repeating: "cDpw", count: 2_048),
    ])
    func `other headers are not credentials`(header: String) {
        #expect(BasicCredentials(header: header) == nil)
    }

    @Test func `empty user names and passwords are allowed`() throws {
        #expect(try BasicCredentials(username: "", password: "").header == "Basic Og==")
        #expect(BasicCredentials(header: "Basic Og==")?.password == "")
    }

    @Test func `credentials that the header cannot represent are refused`() {
        #expect(throws: AuthenticationError.colonInUsername("a:b")) {
            _ = try BasicCredentials(username: "a:b", password: "")
        }
        #expect(throws: AuthenticationError.controlCharacter("user name")) {
            _ = try BasicCredentials(username: "a\nb", password: "")
        }
        #expect(throws: AuthenticationError.controlCharacter("password")) {
            _ = try BasicCredentials(username: "a", password: "b\u{7F}")
        }
    }

    @Test(arguments: UInt64(0)..<500)
    func `damaged headers are parsed or refused, and never trap`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = Array("Basic dXNlcjpwYXNz".utf8)
        for _ in 0..<3 {
            let damaged = Int.random(in: bytes.indices, using: &generator)
            bytes[damaged] = UInt8.random(in: 0...255, using: &generator)
        }
        let header = String(decoding: bytes, as: UTF8.self)
        guard let credentials = BasicCredentials(header: header) else { return }
        #expect(BasicCredentials(header: credentials.header) == credentials, "seed \(seed)")
    }

    @Test func `a description hides the password`() throws {
        let credentials = try BasicCredentials(username: "ada", password: "planted-secret")
        let basic = BasicClientAuthenticator(credentials)
        let session = try SessionClientAuthenticator(sessionID: "planted-secret")
        var dumped = ""
        dump((credentials, basic, session), to: &dumped)
        for text in ["\(credentials) \(basic) \(session)", String(reflecting: basic), dumped] {
            #expect(!text.contains("planted-secret"))
        }
        #expect("\(credentials)" == #"password of "ada""#)
    }
}
