import DivanCommandLine
import DivanJSON
import DivanPlatform
import DivanStatus
import Foundation

/// The processes that use databases on this machine, as far as this user can see them.
enum RunningDatabases {
    /// A command that publishes its status, or a process that only has a database open.
    struct Entry {
        /// Identifies entries from one poll to the next.
        struct Name: Hashable {
            let bundle: ExactText
            let process: UInt64
            /// Which of its replicators and listeners.
            let number: Int
        }

        let name: Name
        let status: JSONObject
    }

    /// Returns the processes that use the given databases, or any database if there are none.
    ///
    /// No database is opened, so no process has to wait.
    static func look(at paths: [DatabasePath]) -> [Entry] {
        let open = openBundles()
        let bundles = paths.isEmpty ? open.keys.sorted().map(\.text) : paths.map(\.bundle)
        return bundles.flatMap { bundle in
            let path = DatabasePath(bundle)
            var entries: [Entry] = []
            for status in (try? StatusDirectory(bundle: path.bundle).read()) ?? [] {
                let process = status["pid"]?.count ?? 0
                let number = entries.count { $0.name.process == process }
                entries.append(entry(status, bundle, number))
            }
            let known = Set(entries.map(\.name.process))
            // As the system reports it, without links.
            let place = URL(fileURLWithPath: bundle).resolvingSymlinksInPath().path
            for process in (open[ExactText(place)] ?? []).sorted()
            where !known.contains(UInt64(clamping: process)) {
                let program = HolderName.program(of: process) ?? "?"
                let verb = program.hasPrefix("divan ") ? program.dropFirst(6) : program[...]
                let status: JSONObject = [
                    "verb": .string(String(verb)),
                    "database": .string(path.name), "pid": JSON(process), "activity": "open",
                ]
                entries.append(entry(status, bundle, 0))
            }
            return entries
        }
    }

    /// The bundles that processes of this user have open.
    static func bundles() -> [String] { openBundles().keys.sorted().map(\.text) }

    /// The statuses published for databases other than this one.
    static func beside(_ path: DatabasePath) -> [JSON] {
        let own = ExactText(URL(fileURLWithPath: path.bundle).resolvingSymlinksInPath().path)
        var found: [JSON] = []
        for bundle in openBundles().keys.sorted() where bundle != own {
            for status in (try? StatusDirectory(bundle: bundle.text).read()) ?? [] {
                found.append(.object(entry(status, bundle.text, 0).status))
            }
        }
        return found
    }

    private static func entry(_ status: JSONObject, _ bundle: String, _ number: Int) -> Entry {
        var status = status
        status["path"] = .string(bundle)
        return Entry(
            name: Entry.Name(
                bundle: ExactText(bundle),
                process: status["pid"]?.count ?? 0,
                number: number
            ),
            status: status
        )
    }

    /// Which processes have which bundles open, from proc(5); only those of this user can be asked.
    private static func openBundles() -> [ExactText: Set<Int32>] {
        let files = FileManager.default
        var found: [ExactText: Set<Int32>] = [:]
        for name in (try? files.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let process = Int32(name), process != CurrentProcess.id else { continue }
            let folder = "/proc/\(name)/fd"
            for number in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
                let link = "\(folder)/\(number)"
                guard let target = try? files.destinationOfSymbolicLink(atPath: link),
                    let end = target.range(of: DatabasePath.suffix + "/")
                else { continue }
                let bundle = String(target[..<target.index(before: end.upperBound)])
                // A database that was deleted while open no longer counts.
                guard files.fileExists(atPath: bundle) else { continue }
                found[ExactText(bundle), default: []].insert(process)
            }
        }
        return found
    }
}
