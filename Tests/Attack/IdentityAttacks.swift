import CouchbaseLiteSwift
import DivanPlatform
import Foundation

/// Badly stored identities: readable by others, links, half written, or without disk space.
struct IdentityAttacks {
    let directory: String
    let report: Report

    private static let label = "mine"

    func run() {
        report.heading("Identities that lie badly")
        report.attack("a directory that others may read", "22") {
            try damaged("open") { try FileSystem.setPermissions(0o755, of: $0) }
        }
        report.attack("a file that others may read", "22") {
            try damagedFile("loose") { try FileSystem.setPermissions(0o644, of: $0) }
        }
        report.attack("a directory that is a link", "22") {
            let target = fresh("target")
            try Self.make()
            try FileSystem.symbolicLink(fresh("link"), to: target)
            return Self.code(Self.read)
        }
        report.attack("a file that is a link", "22") {
            try damagedFile("linked") { file in
                try FileSystem.rename(file, to: file + ".moved")
                try FileSystem.symbolicLink(file, to: file + ".moved")
            }
        }
        report.attack("a file that is half written", "22") {
            try damagedFile("half") { try FileSystem.truncate($0, to: 700) }
        }
        report.attack("an empty file", "22") {
            try damagedFile("empty") { try FileSystem.truncate($0, to: 0) }
        }
        report.attack("a full disk", "22, and nothing is left behind") { try full() }
    }

    /// Creates an identity, damages its directory, and reads it.
    private func damaged(_ name: String, _ damage: (String) throws -> Void) throws -> String {
        let directory = fresh(name)
        try Self.make()
        try damage(directory)
        return Self.code(Self.read)
    }

    /// Creates an identity, damages its file, and reads it.
    private func damagedFile(_ name: String, _ damage: (String) throws -> Void) throws -> String {
        try damaged(name) { directory in
            for file in try FileManager.default.contentsOfDirectory(atPath: directory) {
                try damage(directory + "/" + file)
            }
        }
    }

    /// The system refuses every byte, like a full disk.
    private func full() throws -> String {
        _ = fresh("full")
        Signal.fileTooLarge.ignore()
        CurrentProcess.setFileByteLimit(0)
        let outcome = Self.code(Self.make)
        CurrentProcess.setFileByteLimit(nil)
        let isClean = try TLSIdentity.identity(withLabel: Self.label) == nil
        return outcome + (isClean ? ", and nothing is left behind" : ", and a piece is left")
    }

    /// A separate directory for one attack, in which identities are stored from now on.
    private func fresh(_ name: String) -> String {
        let place = "\(directory)/\(name)"
        TLSIdentity.storeDirectory = place
        return place
    }

    private static func make() throws {
        _ = try TLSIdentity.createIdentity(
            for: .serverAuth,
            attributes: [certAttrCommonName: "mine"],
            label: label
        )
    }

    private static func read() throws {
        _ = try TLSIdentity.identity(withLabel: label)
    }

    private static func code(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "ok"
        } catch let error as NSError {
            return "\(error.code)"
        }
    }
}
