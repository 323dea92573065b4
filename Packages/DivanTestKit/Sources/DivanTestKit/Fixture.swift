import FoundationEssentials

/// A file in `Tests/Fixtures` of the calling test's package.
///
/// The folder is found from the path of the calling source file, so a fixture needs no resource bundle and a test finds
/// it under `swift test` in the package and in the whole repository.
public struct Fixture: Sendable {
    /// The file cannot be used; the text names the path and the reason.
    public struct Failure: Error, CustomStringConvertible {
        /// One line: place, problem, remedy.
        public let description: String
    }

    /// The file's absolute path.
    public let path: String

    /// Names a file below `Tests/Fixtures`.
    ///
    /// - Parameters:
    ///   - name: The path relative to the folder, such as `"blip_frames.json"`.
    ///   - testFile: A source file below `Tests`; keep the default.
    public init(_ name: String, testFile: StaticString = #filePath) {
        let components = "\(testFile)".split(separator: "/", omittingEmptySubsequences: false)
        let tests = components.lastIndex(of: "Tests") ?? components.endIndex - 1
        path = components[...tests].joined(separator: "/") + "/Fixtures/" + name
    }

    /// Returns the file's bytes.
    public func bytes() throws(Failure) -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw Failure(description: "\(path): \(error); add the fixture file")
        }
    }

    /// Returns the file as text; bytes that are not UTF-8 are replaced.
    public func text() throws(Failure) -> String {
        String(decoding: try bytes(), as: UTF8.self)
    }

    /// Decodes the file's JSON.
    public func decoded<Value: Decodable>(as type: Value.Type) throws(Failure) -> Value {
        let bytes = try bytes()
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw Failure(description: "\(path): \(error); check that the type matches the file")
        }
    }
}
