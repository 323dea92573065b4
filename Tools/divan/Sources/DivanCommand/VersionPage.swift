import CDivanVersions
import DivanISAL
import DivanLZ4
import DivanReplicator
import DivanRevisions

/// What `--version` prints: the version, what it was made from, what it speaks, what it runs with.
enum VersionPage {
    static var text: String {
        let commit = String(cString: divan_commit())
        let origin = commit.isEmpty ? "" : " (commit \(commit))"
        return """
            divan \(Program.version)\(origin)
            protocols: \(protocols)
            codecs: \(codecs)
            libraries: \(libraries)
            """
    }

    /// The subprotocols that a peer may offer.
    private static var protocols: String {
        let standard = Subprotocol.Version.allCases.map(\.rawValue).sorted()
        let further = DivanRevisions.RevisionScheme.allCases.compactMap {
            Subprotocol(codecName: LZ4Codec().name, scheme: $0)?.rawValue
        }
        return (standard + further).joined(separator: ", ")
    }

    /// What replications can compress with on this machine.
    private static var codecs: String {
        ISALCodec.isAvailable
            ? "deflate (ISA-L, zlib), LZ4"
            : "deflate (zlib), LZ4; ISA-L is missing (libisal2), deflate is slower without"
    }

    private static var libraries: String {
        (Int32(0)...).lazy.map { divan_library($0) }.prefix { $0 != nil }
            .map { name in name.map { String(cString: $0) } ?? "" }
            .joined(separator: ", ")
    }
}
