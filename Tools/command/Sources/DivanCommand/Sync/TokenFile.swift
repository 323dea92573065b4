@_spi(Modern) import CouchbaseLiteSwift
import DivanCommandLine
import Foundation

/// The bearer token in the file of `--token-file`.
struct TokenFile {
    /// The token in the file when it was first read.
    let token: String
    /// Absolute: tokens are requested on threads with another working directory.
    private let path: String

    /// Reads the first line of the file; `-` is standard input.
    ///
    /// - Throws: `Failure` if the file cannot be read, or its first line is not a token.
    init(_ file: String) throws {
        let line = try Secret.firstLine(of: file)
        token = line.trimmingCharacters(in: .whitespaces)
        path = file == "-" ? file : URL(fileURLWithPath: file).path
        guard AccessToken(token).isSendable else {
            throw Failure(
                kind: .invalid,
                sentence: "\(file): the first line is not a bearer token",
                hint: "write only the token, without 'Bearer'"
            )
        }
    }

    /// Sends the token, and rereads the file if the server rejects it.
    var authenticator: TokenAuthenticator {
        let (first, path) = (token, path)
        return TokenAuthenticator { reason in
            guard reason != .first, path != "-" else { return AccessToken(first) }
            do {
                return AccessToken(try TokenFile(path).token)
            } catch let failure as Failure {
                throw Unreadable(description: failure.line)
            }
        }
    }

    private struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }
}
