extension MessageArea {
    static let databases = MessageArea(
        title: "Databases and files",
        words: """
            `notes` and its changed copy `other` are databases. In `damaged`, a byte of document \
            `one` was changed. `torn`, `newer`, `old` and `link` cannot be opened.
            """,
        preparation: #"""
            divan new notes -c geo.places
            divan put notes soup '{"salt":1}'
            divan put notes rome '{}' -c geo.places
            divan cp notes other
            divan put other stew '{}'
            ln -s notes.cblite2 link.cblite2
            divan new torn
            echo 'not a database' > torn.cblite2/db.sqlite3
            divan new newer
            printf '\x7f' | dd of=newer.cblite2/db.sqlite3 bs=1 seek=63 conv=notrunc status=none
            divan new damaged
            divan put damaged one '{"word":"saffron"}'
            divan put damaged two '{"word":"cumin"}'
            divan compact damaged
            LC_ALL=C sed -i s/saffron/safbron/ damaged.cblite2/db.sqlite3
            tar -xzf "$FIXTURES/manykeys-3.2.tar.gz"
            mv manykeys-3.2.cblite2 old.cblite2
            """#,
        commands: #"""
            divan ls nowhere
            divan ls torn
            divan ls newer
            divan ls old
            divan ls link
            flock notes.cblite2/lock divan put notes x '{}'
            divan get damaged one
            divan check damaged
            divan export damaged
            divan doctor damaged
            divan new notes
            divan new notes.cblite2/lock/x
            divan cp notes other
            divan compare notes other
            divan export notes nowhere/notes.jsonl
            divan ls notes > /dev/full
            divan upgrade notes
            divan collections notes --rm geo.places
            divan mkcoll notes _x
            divan ls notes -c nosuch
            """#
    )
}
