import DivanJSON
import DivanTestKit
import Foundation

/// The packages' test data, from which seeds are made.
enum Fixtures {
    private static var root: String {
        let components = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        let tests = components.lastIndex(of: "Tests") ?? components.endIndex
        return components[..<tests].joined(separator: "/")
    }

    /// The path of a file in `Tests/Fixtures` of a package.
    static func path(_ package: String, _ name: String) -> String {
        "\(root)/Packages/\(package)/Tests/Fixtures/\(name)"
    }

    /// A file, parsed.
    static func json(_ package: String, _ name: String) throws -> JSON {
        let url = URL(filePath: path(package, name))
        return try JSON(parsing: [UInt8](try Data(contentsOf: url)))
    }

    /// The files of a folder, in the order of their names; large ones are left out.
    static func files(
        _ package: String,
        _ folder: String,
        largest: Int = 4_096
    ) throws -> [[UInt8]] {
        let folder = path(package, folder)
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\($0)")))
            return bytes.count <= largest ? bytes : nil
        }
    }

    /// Every text in the value, at any depth, whose key is `key`.
    static func texts(named key: String, in value: JSON) -> [String] {
        switch value {
        case .array(let elements): elements.flatMap { texts(named: key, in: $0) }
        case .object(let members):
            members.flatMap { member in
                if member.key == key, let text = member.value.string { return [text] }
                return texts(named: key, in: member.value)
            }
        default: []
        }
    }

    /// Every member of the value, at any depth, whose key is `key`.
    static func values(named key: String, in value: JSON) -> [JSON] {
        switch value {
        case .array(let elements): elements.flatMap { values(named: key, in: $0) }
        case .object(let members):
            members.flatMap { member in
                member.key == key ? [member.value] : values(named: key, in: member.value)
            }
        default: []
        }
    }

    /// Every text in the value, at any depth.
    static func texts(in value: JSON) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap { texts(in: $0) }
        case .object(let members): members.flatMap { texts(in: $0.value) }
        default: []
        }
    }
}
