extension MessageArea {
    static let commandLine = MessageArea(
        title: "Command line",
        words: "`notes` is a database with the document `soup`.",
        preparation: #"""
            divan new notes
            divan put notes soup '{"salt":1}'
            """#,
        commands: #"""
            divan frobnicate notes
            divan gett notes soup
            divan vacuum notes
            divan blob
            divan get
            divan get notes soup stew
            divan query notes SELECT salt FROM _
            divan ls notes --colection geo.places
            divan ls notes -c
            divan get notes -5
            divan serve notes --port 99999
            divan serve notes --no-tls --identity jukebox
            divan sync notes notes
            divan ls ws://localhost/notes
            divan expire notes soup tomorrow
            divan purge notes
            divan put notes '{}'
            divan check notes --dry-run
            divan export notes all.csv --array
            """#
    )
}
