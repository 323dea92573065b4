import DivanAuth
import DivanCrypto
import DivanJSON
import DivanTestKit
import Foundation
import Testing

/// An issuer of tokens with a new key, made by the `openssl` command.
final class TokenIssuer {
    let algorithm: TokenAlgorithm
    let keyID: String
    private let folder: TemporaryDirectory

    init(_ algorithm: TokenAlgorithm, keyID: String) throws {
        self.algorithm = algorithm
        self.keyID = keyID
        folder = try TemporaryDirectory()
        let kind =
            switch algorithm {
            case .rs256: ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .es256: ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .edDSA: ["ED25519"]
            }
        try openssl(["genpkey", "-out", folder.file("key"), "-algorithm"] + kind)
    }

    @discardableResult
    private func openssl(_ words: [String]) throws -> String {
        let outcome = try #require(Program.installed("openssl")).run(words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
    }

    /// The public key as a JSON web key.
    func webKey() throws -> JSON {
        var members: JSONObject = ["kid": .string(keyID), "use": "sig"]
        let out = ["-out", folder.file("public")]
        try openssl(["pkey", "-in", folder.file("key"), "-pubout", "-outform", "DER"] + out)
        let der = try bytes("public")
        switch algorithm {
        case .rs256:
            let text = try openssl(["rsa", "-in", folder.file("key"), "-noout", "-modulus"])
            let digits = Array(text.split(separator: "=")[1].filter { $0.isHexDigit })
            let modulus = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
            members["kty"] = "RSA"
            members["n"] = .string(Base64URL.encode(modulus.span))
            members["e"] = "AQAB"
        case .es256:
            members["kty"] = "EC"
            members["crv"] = "P-256"
            members["x"] = .string(Base64URL.encode(Array(der.suffix(64).prefix(32)).span))
            members["y"] = .string(Base64URL.encode(Array(der.suffix(32)).span))
        case .edDSA:
            members["kty"] = "OKP"
            members["crv"] = "Ed25519"
            members["x"] = .string(Base64URL.encode(Array(der.suffix(32)).span))
        }
        return .object(members)
    }

    /// A set with the keys of issuers.
    static func keys(_ issuers: TokenIssuer...) throws -> TokenKeySet {
        let set: JSON = ["keys": .array(try issuers.map { try $0.webKey() })]
        return try TokenKeySet(parsing: set.canonicalBytes())
    }

    /// A token with these claims, and changes of its header.
    func token(_ claims: JSONObject, header changes: JSONObject = [:]) throws -> String {
        var header: JSONObject = ["alg": .string(algorithm.rawValue), "kid": .string(keyID)]
        for (key, value) in changes { header[key] = value.isNull ? nil : value }
        let parts = [
            try JSON.object(header).canonicalBytes(), try JSON.object(claims).canonicalBytes(),
        ]
        let message = parts.map { Base64URL.encode($0.span) }.joined(separator: ".")
        let signature = try signature(of: message)
        return message + "." + Base64URL.encode(signature.span)
    }

    private func signature(of message: String) throws -> [UInt8] {
        try Data(message.utf8).write(to: URL(fileURLWithPath: folder.file("message")))
        let (key, input, output) = (folder.file("key"), folder.file("message"), folder.file("out"))
        guard algorithm != .edDSA else {
            try openssl(["pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", input, "-out", output])
            return try bytes("out")
        }
        try openssl(["dgst", "-sha256", "-sign", key, "-out", output, input])
        let signature = try bytes("out")
        guard algorithm == .es256 else { return signature }
        // Two integers of a DER sequence, each with its length.
        let count = Int(signature[3])
        let (first, second) = (signature[4..<4 + count], signature[(4 + count + 2)...])
        return [first, second].flatMap { number in
            let digits = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }
}
