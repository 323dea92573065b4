import DivanAuth
import DivanCommandLine
import DivanPlatform

/// Where the public keys of an issuer are: a file, or a URL, which `curl` downloads.
struct TokenKeySource: Sendable {
    /// The time between two downloads.
    static let interval = Duration.seconds(60)

    private let place: String
    /// Whether the keys are downloaded.
    let isURL: Bool
    /// The file; `nil` for a URL.
    var file: String? { isURL ? nil : place }

    /// Checks the place.
    ///
    /// - Throws: `Failure` for a URL without TLS, except of this machine.
    init(_ place: String) throws(Failure) {
        self.place = place
        let isLocal = ["http://127.0.0.1", "http://localhost"].contains { start in
            place.hasPrefix(start) && [":", "/"].contains(place.dropFirst(start.count).prefix(1))
        }
        isURL = place.hasPrefix("https://") || isLocal
        guard isURL || !place.contains("://") else {
            throw Failure.usage("'--jwt-keys' requires a file or an https URL")
        }
    }

    /// Reads the text of the keys.
    ///
    /// - Throws: `Failure` that names the place.
    func read() throws -> [UInt8] {
        isURL ? try download() : try IdentityFile.contents(place)
    }

    /// The keys in a text.
    ///
    /// - Throws: `Failure` that names the place.
    func keys(in bytes: [UInt8]) throws(Failure) -> TokenKeySet {
        do throws(TokenError) {
            return try TokenKeySet(parsing: bytes)
        } catch {
            throw Failure(kind: .invalid, sentence: "\(place): \(error)")
        }
    }

    private func download() throws -> [UInt8] {
        let (reading, writing) = try FileDescriptor.pipe()
        let process: ChildProcess
        do {
            defer { writing.close() }
            let null = try FileDescriptor.open("/dev/null", [.readWrite, .closeOnExec])
            defer { null.close() }
            process = try ChildProcess.spawn(
                "/usr/bin/env",
                [
                    "env", "curl", "--silent", "--show-error", "--fail", "--max-time", "10",
                    "--proto", "=http,https", "--max-filesize", "\(TokenKeySet.byteCount)", "--",
                    place,
                ],
                descriptors: [
                    (null, as: .standardInput), (writing, as: .standardOutput),
                    (null, as: .standardError),
                ],
                signals: .defaults
            )
        } catch {
            reading.close()
            throw error
        }
        let bytes = try? reading.readAll(limit: TokenKeySet.byteCount + 1)
        // A program that still writes ends by this.
        reading.close()
        let status = process.wait() ?? .unknown
        guard let bytes, status.isSuccess else {
            throw Failure(
                kind: .unreachable,
                sentence: "\(place): cannot download the keys (curl \(status.explanation))",
                hint: "check the URL, and that curl is installed"
            )
        }
        return bytes
    }
}
