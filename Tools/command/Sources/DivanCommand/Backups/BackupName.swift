import DivanCommandLine
import DivanJSON
import DivanSQL

/// The name of a file in a directory of backups, such as `shop_2026-11-29T120000.000Z_full.dump`.
struct BackupName: Hashable, Comparable {
    /// What a file contains.
    enum Kind: String {
        /// The whole database.
        case full
        /// Everything that has changed since the file before it.
        case changes
    }

    private static let suffix = ".dump"

    let database: ExactText
    /// When the backup began: the state in the file has every commit before this time.
    let time: Int64
    let kind: Kind

    init(_ database: String, at time: Int64, _ kind: Kind) {
        self.database = ExactText(database)
        self.time = time
        self.kind = kind
    }

    /// Parses a file name; `nil` if it is not that of a backup.
    init?(parsing name: String) {
        guard name.hasSuffix(Self.suffix) else { return nil }
        var parts = name.dropLast(Self.suffix.count).split(
            separator: "_",
            omittingEmptySubsequences: false
        )
        guard parts.count >= 3, let kind = Kind(rawValue: String(parts.removeLast())),
            let time = Self.time(String(parts.removeLast()))
        else { return nil }
        self.init(parts.joined(separator: "_"), at: time, kind)
        guard fileName == name else { return nil }
    }

    var fileName: String {
        "\(database.text)_\(Moment.text(time).replacing(":", with: ""))_\(kind.rawValue)\(Self.suffix)"
    }

    /// Orders files of one database by time.
    static func < (left: BackupName, right: BackupName) -> Bool {
        (left.database, left.time) < (right.database, right.time)
    }

    /// The milliseconds since 1970 of a time without colons, which some file systems do not permit.
    private static func time(_ text: String) -> Int64? {
        guard let separator = text.firstIndex(of: "T") else { return nil }
        var time = Array(text[text.index(after: separator)...])
        guard time.count > 6 else { return nil }
        time.insert(":", at: 4)
        time.insert(":", at: 2)
        return DateText.milliseconds("\(text[...separator])\(String(time))", isLocal: false)
    }
}
