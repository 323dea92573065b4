import DivanAuth
import DivanCrypto
import DivanJSON
import DivanTestKit
import Synchronization
import Testing

/// JSON web tokens: which are accepted, and when they stop being valid.
@Suite(.timeLimit(.minutes(5))) struct TokenTests {
    private static let now = 1_795_158_000.0
    private let verifier = TokenVerifier(
        issuer: "https://id.example.org",
        audiences: ["divan", "b"]
    )

    private func claims(_ changes: JSONObject = [:]) -> JSONObject {
        var claims: JSONObject = [
            "iss": "https://id.example.org", "aud": "divan", "sub": "anna",
            "exp": .int(Int64(Self.now) + 600),
        ]
        for (key, value) in changes { claims[key] = value.isNull ? nil : value }
        return claims
    }

    private func problem(_ token: String, _ keys: TokenKeySet, at time: Double = now) -> TokenError?
    {
        do throws(TokenError) {
            _ = try verifier.verify(token, keys: keys, at: time)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: TokenAlgorithm.allCases)
    func `a token of the issuer is accepted, and no changed one`(algorithm: TokenAlgorithm) throws {
        let issuer = try TokenIssuer(algorithm, keyID: "1")
        let keys = try TokenIssuer.keys(issuer)
        let token = try issuer.token(claims(["aud": ["x", "b"], "roles": ["cook"]]))
        let verified = try verifier.verify(token, keys: keys, at: Self.now)
        #expect(verified.user == "anna" && verified.expiration == Self.now + 660)
        #expect(verified.claims["roles"] == ["cook"])
        let parts = token.split(separator: ".").map(String.init)
        let other = try issuer.token(claims(["sub": "bo"])).split(separator: ".").map(String.init)
        #expect(problem("\(parts[0]).\(other[1]).\(parts[2])", keys) == .signature)
        #expect(problem("\(parts[0]).\(parts[1]).\(other[2])", keys) == .signature)
        #expect(problem("\(parts[0]).\(parts[1]).", keys) == .signature)
        #expect(problem("\(parts[0]).\(parts[1])", keys) == .malformed)
        #expect(problem(token + "=", keys) == .malformed)
        #expect(problem("", keys) == .malformed)
        #expect(problem(String(repeating: ".", count: 9_000), keys) == .malformed)
        let stranger = try TokenIssuer(algorithm, keyID: "1")
        #expect(problem(try stranger.token(claims()), keys) == .signature)
    }

    /// Source: RFC 7515, appendix A.3; RFC 8037, appendix A.4.
    @Test func `signatures of the standards are valid`() throws {
        let elliptic = try TokenKeySet(
            parsing: Array(
                #"""
                {"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
                "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
                """#.utf8
            )
        )
        let claims =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
            + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8IS"
        // The signature is valid, but not the claims.
        #expect(problem(claims + "lSApmWQxfKTUJqPP3-Kg6NU1Q", elliptic) == .issuer)
        #expect(problem(claims + "lSApmWQxfKTUJqPP3-Kg6NU1g", elliptic) == .signature)
        let edwards = try TokenKeySet(
            parsing: Array(
                #"""
                {"keys":[{"kty":"OKP","crv":"Ed25519",
                "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
                """#.utf8
            )
        )
        let example =
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PG"
        // The payload is text that is not JSON.
        #expect(
            problem(example + "cvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg", edwards)
                == .malformed
        )
        #expect(
            problem(example + "cvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KBg", edwards)
                == .signature
        )
    }

    @Test func `tokens without a signature and with another algorithm are rejected`() throws {
        let rsa = try TokenIssuer(.rs256, keyID: "1")
        let curve = try TokenIssuer(.es256, keyID: "2")
        let keys = try TokenIssuer.keys(rsa, curve)
        for name in ["none", "None", "NONE", "HS256", "HS512", "RS512", "PS256", ""] {
            let token = try rsa.token(claims(), header: ["alg": .string(name)])
            #expect(problem(token, keys) == .algorithm(name), "\(name)")
        }
        let header = Array(#"{"alg":"none"}"#.utf8)
        let body = try JSON.object(claims()).canonicalBytes()
        let unsigned =
            [header, body].map { Base64URL.encode($0.span) }.joined(separator: ".") + "."
        #expect(problem(unsigned, keys) == .algorithm("none"))
        // The key of one algorithm does not serve another.
        let confused = try rsa.token(claims(), header: ["alg": "ES256"])
        #expect(problem(confused, keys) == .unknownKey)
        let swapped = try rsa.token(claims(), header: ["alg": "ES256", "kid": "2"])
        #expect(problem(swapped, keys) == .signature)
        var only = verifier
        only.algorithms = [.es256]
        #expect(throws: TokenError.algorithm("RS256")) {
            try only.verify(rsa.token(claims()), keys: keys, at: Self.now)
        }
    }

    @Test func `keys in a token's header are not used`() throws {
        let issuer = try TokenIssuer(.edDSA, keyID: "1")
        let stranger = try TokenIssuer(.edDSA, keyID: "1")
        let keys = try TokenIssuer.keys(issuer)
        let own = try stranger.token(claims(), header: ["jwk": try stranger.webKey()])
        #expect(problem(own, keys) == .signature)
        let url = try stranger.token(claims(), header: ["jku": "http://127.0.0.1/keys"])
        #expect(problem(url, keys) == .signature)
        let critical = try issuer.token(claims(), header: ["crit": ["b64"], "b64": false])
        #expect(problem(critical, keys) == .extensions)
        #expect(problem(try issuer.token(claims(), header: ["kid": "9"]), keys) == .unknownKey)
        #expect(problem(try issuer.token(claims(), header: ["kid": 1]), keys) == .malformed)
        #expect(problem(try issuer.token(claims(), header: ["kid": .null]), keys) == nil)
    }

    @Test func `issuer, audience, times and user are checked`() throws {
        let issuer = try TokenIssuer(.edDSA, keyID: "1")
        let keys = try TokenIssuer.keys(issuer)
        let now = Int64(Self.now)
        let cases: [(JSONObject, TokenError?)] = [
            (["iss": "https://id.example.org/"], .issuer), (["iss": .null], .issuer),
            (["iss": ["https://id.example.org"]], .issuer), (["aud": "other"], .audience),
            (["aud": .null], .audience), (["aud": []], .audience), (["aud": [1, "divan"]], nil),
            (["exp": .null], .claim("exp")), (["exp": "1"], .claim("exp")),
            (["exp": .int(now - 59)], nil), (["exp": .int(now - 60)], .expired),
            (["nbf": .int(now + 60)], nil), (["nbf": .int(now + 61)], .notYetValid),
            (["nbf": "x"], .claim("nbf")), (["sub": ""], .claim("sub")),
            (["sub": .null], .claim("sub")), (["sub": "a\nb"], .claim("sub")),
            (["sub": .string(String(repeating: "a", count: 256))], .claim("sub")),
        ]
        for (changes, expected) in cases {
            #expect(problem(try issuer.token(claims(changes)), keys) == expected, "\(changes)")
        }
    }

    @Test func `keys of other kinds and sizes are left out of a set`() throws {
        let good = try TokenIssuer(.es256, keyID: "1").webKey()
        var others: [JSON] = [
            ["kty": "oct", "k": "AAAA"], ["kty": "RSA", "n": "AQAB", "e": "AQAB"], 1,
            ["kty": "OKP", "crv": "X25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"],
        ]
        let changes: [(key: String, value: JSON)] = [
            ("use", "enc"), ("alg", "RS256"), ("alg", "HS256"), ("key_ops", ["sign"]),
            ("y", good["x"] ?? .null),
        ]
        for (key, value) in changes {
            var members = try #require(good.object)
            members[key] = value
            others.append(.object(members))
        }
        let set: JSON = ["keys": .array(others + [good])]
        #expect(try TokenKeySet(parsing: set.canonicalBytes()).keys.count == 1)
        for bad in ["", "{}", "[]", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#] {
            #expect(throws: TokenError.keySet) { try TokenKeySet(parsing: Array(bad.utf8)) }
        }
        let many: JSON = ["keys": .array(Array(repeating: good, count: TokenKeySet.keyCount + 1))]
        #expect(throws: TokenError.keySet) { try TokenKeySet(parsing: many.canonicalBytes()) }
    }

    @Test func `an authenticator accepts tokens until they expire or the keys change`() throws {
        let (old, new) = (try TokenIssuer(.edDSA, keyID: "1"), try TokenIssuer(.rs256, keyID: "2"))
        let time = Atomic<UInt64>(UInt64(Self.now))
        let authenticator = TokenListenerAuthenticator(
            verifier,
            keys: try TokenIssuer.keys(old),
            otherwise: PasswordListenerAuthenticator { $0 == "bo" && $1 == "secret" }
        ) { Double(time.load(ordering: .relaxed)) }
        func outcome(_ field: String) -> AuthenticationOutcome {
            authenticator.authenticate(AuthenticationRequest(authorization: field))
        }
        let refused = AuthenticationOutcome.refused(challenge: #"Bearer error="invalid_token""#)
        let (first, second) = (try old.token(claims()), try new.token(claims()))
        for _ in 0..<2 { #expect(outcome("Bearer \(first)") == .accepted(user: "anna")) }
        #expect(outcome("bearer \(first)") == .accepted(user: "anna"))
        #expect(outcome("Bearer \(second)") == refused)
        #expect(outcome("Bearer") == .basicChallenge && outcome("Basic x") == .basicChallenge)
        let password = try BasicCredentials(username: "bo", password: "secret")
        #expect(outcome(password.header) == .accepted(user: "bo"))
        // Both keys are valid during a rotation, then the new one.
        authenticator.replace(keys: try TokenIssuer.keys(old, new))
        #expect(outcome("Bearer \(first)") == .accepted(user: "anna"))
        #expect(outcome("Bearer \(second)") == .accepted(user: "anna"))
        authenticator.replace(keys: try TokenIssuer.keys(new))
        #expect(outcome("Bearer \(first)") == refused)
        #expect(outcome("Bearer \(second)") == .accepted(user: "anna"))
        #expect(!authenticator.dropExpired())
        time.store(UInt64(Self.now) + 660, ordering: .relaxed)
        #expect(outcome("Bearer \(second)") == refused)
        #expect(throws: TokenError.expired) { try authenticator.verify(second) }
    }

    @Test func `an expired token is noticed once`() throws {
        let issuer = try TokenIssuer(.edDSA, keyID: "1")
        let time = Atomic<UInt64>(UInt64(Self.now))
        let authenticator = TokenListenerAuthenticator(verifier, keys: try TokenIssuer.keys(issuer))
        {
            Double(time.load(ordering: .relaxed))
        }
        _ = try authenticator.verify(issuer.token(claims()))
        #expect(!authenticator.dropExpired())
        time.store(UInt64(Self.now) + 660, ordering: .relaxed)
        #expect(authenticator.dropExpired())
        #expect(!authenticator.dropExpired())
    }

    @Test func `the requirements for authenticators are met with passwords`() throws {
        let issuer = try TokenIssuer(.edDSA, keyID: "1")
        let known = try BasicCredentials(username: "ada", password: "engine")
        let authenticator = TokenListenerAuthenticator(
            verifier,
            keys: try TokenIssuer.keys(issuer),
            otherwise: PasswordListenerAuthenticator { $0 == "ada" && $1 == "engine" }
        ) { Self.now }
        let violations = ListenerAuthenticatorContract.violations(
            of: authenticator,
            accepting: known
        )
        #expect(violations.isEmpty)
        #expect(authenticator.credentialFields == ["Authorization"])
    }
}
