import Foundation

/// Code that sources do not contain: one table of patterns, with the folders, the remedy and the reason.
struct WordsCheck {
    let tree: SourceTree

    private struct Entry {
        var folders: [String]
        var pattern: String
        var remedy: String
        /// Folders and files where it is right.
        var exceptions: [String]
        var isInComments: Bool

        init(
            _ folders: [String],
            _ pattern: String,
            _ remedy: String,
            except exceptions: [String] = [],
            isInComments: Bool = false
        ) {
            (self.folders, self.pattern, self.remedy) = (folders, pattern, remedy)
            (self.exceptions, self.isInComments) = (exceptions, isInComments)
        }
    }

    func violations() throws -> [Violation] {
        // The table has what it looks for.
        let files = tree.files(in: "Packages", "Tools", "Tests", "Docs").filter {
            ($0.contains("/Sources/") || $0.hasPrefix("Tests/"))
                && !$0.hasSuffix("WordsCheck.swift")
        }
        let entries = try Self.entries.map { ($0, try Pattern($0.pattern)) }
        return try files.flatMap { file -> [Violation] in
            let text = try tree.text(file)
            let code = text.lines.map(\.code).joined(separator: "\n")
            return entries.flatMap { entry, pattern -> [Violation] in
                guard entry.folders.contains(where: file.hasPrefix),
                    !entry.exceptions.contains(where: file.contains)
                else { return [] }
                return pattern.matches(in: entry.isInComments ? text : code).map { match in
                    let found = match.groups[0].trimmed.prefix(60)
                    return Violation("\(file):\(match.line)", "\"\(found)\"", entry.remedy)
                }
            }
        }
    }

    // MARK: The table

    private static let everywhere = ["Packages/", "Tools/", "Docs/"]
    private static let products = ["Packages/", "Tools/"]

    /// Cores have no clock and no randomness of their own, so that a test can choose both.
    private static let cores = [
        "BLIP", "Compression", "Conflicts", "Delta", "JSON", "Mesh", "Query", "Replicator",
        "Revisions", "SQL", "Vectors", "WebSocket",
    ].map { "Packages/Divan\($0)/" }

    private static let typed = "throw a typed error: input must not end the process"
    private static let reading = "use readToEnd() or read(upToCount:): this call traps on errors"
    private static let writing = "use write(contentsOf:): this call traps on errors"
    private static let throwing = "use the call that throws: this one traps on errors"
    private static let passed = "let the caller pass the time or the generator, so that tests can"

    private static let defaults = [
        "/PeerConfiguration.swift", "/ClientHandshake.swift", "/WebSocketConnection.swift",
    ]

    /// `code`, unless the line also has `other`.
    private static func without(_ other: String, _ code: String) -> String {
        "^(?!.*(?:\(other))).*?(?:\(code))"
    }

    private static let entries: [Entry] = [
        Entry(products, #"\btry!|\bas! |\bfatalError\("#, typed),
        // The public API stops a program that misuses it, where the official SDK raises.
        Entry(
            products,
            #"\bpreconditionFailure\("#,
            typed,
            except: ["Packages/CouchbaseLiteSwift/"]
        ),
        Entry(products, "TODO|FIXME", "do it, or open an issue", isInComments: true),
        Entry(products, "class Abstract", "use a protocol"),
        Entry(products, "Manager: |Helper|enum Utils", "name what it does"),
        Entry(everywhere, #"readDataToEndOfFile|readData\(ofLength|\bavailableData"#, reading),
        Entry(everywhere, #"\.write\(Data\("#, writing),
        Entry(everywhere, #"(?<!\w)(?:createFile|truncateFile|seekToEndOfFile)\("#, throwing),
        Entry(everywhere, #"(?<!\w)(?:close|synchronize)File\(\)|seek\(toFileOffset"#, throwing),
        Entry(everywhere, #"(?<!\w)(?:offsetInFile|launchPath)|\.streamError"#, throwing),
        Entry(cores, #"time\(nil\)|clock_gettime\(|gettimeofday\(|getrandom\("#, passed),
        Entry(cores, #"Clock\.now|Clock\(\)\.now|(?:Wall|Monotonic|Processor)Clock\."#, passed),
        Entry(cores, #"(?<!\w)(?:Date\(\)|Date\.now|UUID\(\))"#, passed),
        Entry(cores, #"shuffled\(\)|randomElement\(\)|SystemRandomNumberGenerator\(\)"#, passed),
        Entry(cores, without("using:", #"\.random\(in:"#), passed),
        // The default for callers of the public interface that pass no other source.
        Entry(cores, #"(?<!random: any RandomSource = )SystemRandomSource\(\)"#, passed),
        Entry(cores, #"SystemRandomSource\(\)"#, passed, except: defaults),
        Entry(
            ["Packages/DivanReplicator/", "Packages/DivanSession/"],
            without(
                "static let ",
                #"\.(?:liteCore|posix|sqlite|fleece|network|webSocket|http|close)(?:, |\()\d"#
                    + #"|\b(?:code|status): \d{2,}|(?:code|Code|status) [!=]= \d{2,}|case \d{3,}"#
                    + #"|rawValue: \d{3,}|\.refused\(\d"#
            ),
            "name the code in WireCode.swift: numbers are mistyped unnoticed"
        ),
        // A conflict handler is called on the caller's own thread.
        Entry(
            ["Packages/CouchbaseLiteSwift/"],
            without(
                "@Sendable|conflictHandler: @escaping",
                #"@escaping \(|public (?:var|let|typealias|static var) .*->"#
            ),
            "mark the closure @Sendable: it is called on another thread, which nothing else reports"
        ),
    ]
}
