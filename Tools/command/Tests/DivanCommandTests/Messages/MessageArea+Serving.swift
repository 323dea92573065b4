extension MessageArea {
    static let serving = MessageArea(
        title: "Users and servers",
        words: """
            `users.json` contains the user `anna`. The names of the other files describe their \
            problems. `divan serve other` is running at `$used`.
            """,
        preparation: #"""
            divan new notes
            divan new other
            mkdir copies
            divan cp notes copies/notes
            echo secret > secret
            divan users add users.json anna --password-file secret
            cp users.json public.json
            echo '{"anna":1}' > odd.json
            chmod 600 secret odd.json
            chmod 644 public.json
            echo '{"databases":["notes"],"prot":1}' > misspelt.json
            echo '{"databases":[]}' > none.json
            echo '{"databases":["notes"],"config":"x"}' > nested.json
            """#,
        servers: [
            Server(name: "used", command: "serve other --no-tls --interface 127.0.0.1")
        ],
        commands: #"""
            divan users add users.json anna --password-file secret
            DIVAN_PASSWORD= divan users add users.json bo
            divan users add users.json bo --password-file secret --where 'owner = $me'
            divan users add public.json bo --password-file secret
            divan users rm users.json bo
            divan users ls odd.json
            DIVAN_PASSWORD=wrong divan users verify users.json anna
            divan serve
            divan serve notes --password-file secret
            divan serve --config misspelt.json
            divan serve --config none.json
            divan serve --config nested.json
            divan serve notes --no-tls --client-ca jukebox.pem
            divan serve notes copies/notes --no-tls --interface 127.0.0.1 --rest 0
            divan serve notes --interface nosuch0
            divan serve notes --rest-origin https://example.org
            divan serve notes --no-tls --interface 127.0.0.1 --port ${used#*:}
            divan serve notes --audit-reads
            divan serve notes --audit odd.json
            divan audit verify odd.json
            divan audit verify nosuch.log
            divan wire proxy --to ws://127.0.0.1:1 --listen ${used#*:}
            divan upgrade other --yes
            """#
    )
}
