import CDivanVersions
import DivanISAL
import DivanJSON
import DivanLZ4
import DivanReplicator
import DivanRevisions
import DivanZstd

/// The output of `--version`: the version, the commit, the protocols, the libraries.
enum VersionPage {
    /// The version of the command, and of all packages.
    static let version = "0.1.0"

    static var text: String {
        let commit = String(cString: divan_commit())
        let origin = commit.isEmpty ? "" : " (commit \(commit))"
        return """
            divan \(version)\(origin)
            protocols: \(protocols.joined(separator: ", "))
            codecs: \(codecs(isBuiltIn: ISALCodec.isBuiltIn, isAvailable: ISALCodec.isAvailable))
            bodies: \(bodies(isBuiltIn: ZstdDictionaryCodec.isBuiltIn, isAvailable: hasZstd))
            libraries: \(libraries.joined(separator: ", "))
            """
    }

    /// The same for machines.
    static var json: String {
        let commit = String(cString: divan_commit())
        var libraries: JSONObject = [:]
        for library in Self.libraries {
            let words = library.split(separator: " ", maxSplits: 1)
            libraries["\(words[0])"] = .string("\(words.last ?? "")")
        }
        let page: JSON = [
            "version": .string(version), "commit": commit.isEmpty ? .null : .string(commit),
            "protocols": .array(protocols.map { .string($0) }), "codecs": ["deflate", "LZ4"],
            "isal": .bool(ISALCodec.isAvailable), "zstd": .bool(hasZstd),
            "libraries": .object(libraries),
        ]
        return page.canonicalText
    }

    /// The subprotocols that a peer may offer.
    private static var protocols: [String] {
        let standard = Subprotocol.Version.allCases.map(\.rawValue).sorted()
        let further = DivanRevisions.RevisionScheme.allCases.compactMap {
            Subprotocol(codecName: LZ4Codec().name, scheme: $0)?.rawValue
        }
        return standard + further
    }

    /// The compression of replications; the reason that ISA-L is missing may be the build or the machine.
    static func codecs(isBuiltIn: Bool, isAvailable: Bool) -> String {
        if isAvailable { return "deflate (ISA-L, zlib), LZ4" }
        let remedy = remedy(isBuiltIn, "libisal2", "libisal-dev")
        return "deflate (zlib), LZ4; ISA-L not found: deflate is slower (\(remedy))"
    }

    private static func remedy(_ isBuiltIn: Bool, _ library: String, _ headers: String) -> String {
        isBuiltIn ? "install \(library)" : "install \(headers), and rebuild divan"
    }

    private static var hasZstd: Bool { ZstdDictionaryCodec.isAvailable }

    /// The compression of stored bodies; the reason that zstd is missing may be the build or the machine.
    static func bodies(isBuiltIn: Bool, isAvailable: Bool) -> String {
        if isAvailable { return "LZ4, zstd" }
        let remedy = remedy(isBuiltIn, "libzstd1", "libzstd-dev")
        return "LZ4; zstd not found: bodies compressed with it cannot be read (\(remedy))"
    }

    /// Names and versions, as `SQLite 3.40.1`.
    private static var libraries: [String] {
        (Int32(0)...).lazy.map { divan_library($0) }.prefix { $0 != nil }
            .map { name in name.map { String(cString: $0) } ?? "" }
    }
}
