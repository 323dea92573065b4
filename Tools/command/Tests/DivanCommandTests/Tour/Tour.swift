import DivanTestKit
import Foundation

/// The ten most common tasks, typed into one shell while `divan serve` runs in another.
struct Tour {
    /// One of the tasks.
    struct Step {
        let title: String
        let words: String
        let lines: [String]
        /// Whether the picture of the README shows it.
        var isFilmed = false
    }

    /// A step with the output of each line.
    struct Chapter {
        let step: Step
        let entries: [TypedShell.Entry]
    }

    /// What the serving shell showed before clients connected.
    let opening: [TypedShell.Entry]
    /// What it showed at the end, after Ctrl-C.
    let ending: String
    let chapters: [Chapter]

    /// Types everything.
    init(in shell: Shell) throws {
        try FileManager.default.createDirectory(
            atPath: shell.path("home"),
            withIntermediateDirectories: true
        )
        try shell.write("hotels.jsonl", Self.hotels)
        try shell.write("routes.jsonl", Self.routes)
        try shell.write("more.csv", Self.furtherHotels)
        let serving = try TypedShell(shell)
        var opening = try Self.preparation.map { try serving.run($0) }
        opening.append(try serving.start(Self.serving, until: "Press Ctrl-C to stop."))
        let output = opening.last?.output ?? ""
        let address = output.split { $0 == " " || $0 == "," || $0 == "\n" }
            .first { $0.hasPrefix("wss://") }
        let typing = try TypedShell(shell)
        // The folder's name differs from run to run.
        func placed(_ entry: TypedShell.Entry) -> TypedShell.Entry {
            entry.replacing(shell.directory + "/", with: "/home/ada/")
        }
        chapters = try Self.steps.map { step in
            let lines = step.lines.map { $0.replacing("URL", with: address ?? "") }
            return Chapter(step: step, entries: try lines.map { placed(try typing.run($0)) })
        }
        typing.close()
        let lines = try serving.interrupt().split(separator: "\n").map(String.init)
        ending = lines.filter { $0.hasPrefix("Stopped ") }.joined(separator: "\n")
        self.opening = opening.map(placed)
        serving.close()
    }

    private static let hotels = [
        ("rome", "Hotel Roma", "Rome", 4), ("gent", "Hotel Gent", "Ghent", 3),
        ("bern", "Hotel Bern", "Bern", 5), ("graz", "Hotel Graz", "Graz", 4),
        ("riga", "Hotel Riga", "Riga", 2),
    ].map { id, name, city, stars in
        "{\"_id\":\"\(id)\",\"name\":\"\(name)\",\"city\":\"\(city)\",\"stars\":\(stars)}\n"
    }.joined()

    /// Enough of them that a copy takes a moment.
    private static let routes = (0..<5_000).map { number in
        let cities = ["Rome", "Ghent", "Bern", "Graz", "Riga", "Oslo", "Lyon", "Cork", "Kiel"]
        let (from, to) = (cities[number % 9], cities[(number / 9) % 9])
        let days = "\"days\":[\(number % 7 + 1),\((number / 7) % 7 + 1)]"
        return
            "{\"_id\":\"route_\(10_000 + number)\",\"from\":\"\(from)\",\"to\":\"\(to)\",\(days)}\n"
    }.joined()

    private static let furtherHotels =
        "_id,name,city,stars\nlyon,Hotel Lyon,Lyon,3\n"
        + "cork,Hotel Cork,Cork,4\n"

    private static let preparation = [
        "divan new travel -c travel.hotels,travel.routes",
        "divan import travel hotels.jsonl -c travel.hotels",
        "divan import travel routes.jsonl -c travel.routes",
        "echo open sesame > secret.txt",
    ]

    private static let serving =
        "divan serve travel --interface 127.0.0.1 --user sync "
        + "--password-file secret.txt --write-certificate travel.pem"
}

extension Tour {
    private static let steps = [
        Step(
            title: "Inspect a database",
            words: "A database contains collections, and a collection contains documents with IDs.",
            lines: [
                "divan info travel", "divan ls travel", "divan ls travel -c travel.hotels --long",
            ]
        ),
        Step(
            title: "Read a document",
            words: "Documents are JSON. `--raw` prints the stored text, for other programs.",
            lines: ["divan get travel rome -c travel.hotels"]
        ),
        Step(
            title: "Write a document",
            words:
                "The process that serves the database executes the command and sends the document "
                + "to connected peers at once.",
            lines: [
                #"divan put travel oslo '{"name":"Hotel Oslo","stars":3}' -c travel.hotels"#
            ],
            isFilmed: true
        ),
        Step(
            title: "Edit a document",
            words:
                "`edit` opens your editor; here it is `sed`, which changes a number. Each change "
                + "creates a revision.",
            lines: [
                "EDITOR='sed -i s/3/4/' divan edit travel oslo -c travel.hotels",
                "divan revs travel oslo -c travel.hotels",
            ]
        ),
        Step(
            title: "Import and copy",
            words:
                "`import` reads JSON, JSON lines, CSV and CouchDB dumps. `cp` copies a database "
                + "while it is being served.",
            lines: [
                "divan import travel more.csv -c travel.hotels",
                "divan cp travel backup",
            ]
        ),
        Step(
            title: "Query",
            words: "Queries are SQL++. `divan travel` opens a query shell with completion.",
            lines: [
                "divan select travel 'name FROM travel.hotels WHERE stars > 3 ORDER BY name'"
            ],
            isFilmed: true
        ),
        Step(
            title: "Pull from a peer",
            words: "`--pin` accepts only the certificate that the server wrote to the file.",
            lines: [
                "url=URL", "as='--user sync --password-file secret.txt --pin travel.pem'",
                "divan new copy", "divan pull copy $url $as --list-collections",
                "divan pull copy $url $as --all-collections",
            ],
            isFilmed: true
        ),
        Step(
            title: "Sync in both directions",
            words:
                "Only changes are sent. With `--continuous`, the sync keeps running and sends each "
                + "change.",
            lines: [
                "divan rm copy riga -c travel.hotels",
                #"divan put copy kiel '{"name":"Hotel Kiel","stars":2}' -c travel.hotels"#,
                "divan sync copy $url $as",
            ],
            isFilmed: true
        ),
        Step(
            title: "Resolve a conflict",
            words:
                "Two peers change the same document. By default a rule resolves the conflict; "
                + "`--conflicts leave` keeps both revisions.",
            lines: [
                "EDITOR='sed -i s/3/4/' divan edit travel gent -c travel.hotels",
                "EDITOR='sed -i s/Gent/Ghent/' divan edit copy gent -c travel.hotels",
                "divan sync copy $url $as --conflicts leave",
                "divan conflicts show copy gent -c travel.hotels",
                "divan conflicts resolve copy gent --merge -c travel.hotels",
                "divan sync copy $url $as",
                "divan get travel gent -c travel.hotels --raw",
            ],
            isFilmed: true
        ),
        Step(
            title: "Diagnose a sync problem",
            words:
                "`doctor` tests each step of a connection, and `explain` shows the state of one "
                + "document.",
            lines: [
                "divan doctor $url $as -c travel.hotels",
                "divan explain copy gent -c travel.hotels",
            ]
        ),
    ]
}
