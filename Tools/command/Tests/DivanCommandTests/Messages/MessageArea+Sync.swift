extension MessageArea {
    static let sync = MessageArea(
        title: "Sync and peers",
        words: """
            `$plain` serves the database `travel`, `$tls` the same over TLS with a self-signed \
            certificate, `$users` with the users `anna` (no collection) and `bo` (read-only), and \
            `$vectors` a database with version vectors.
            """,
        preparation: #"""
            divan new notes
            divan put notes soup '{"salt":1}'
            divan new travel
            divan put travel rome '{"v":1}'
            divan new edited
            divan put edited rome '{"v":2}'
            divan new vectors
            divan upgrade vectors --yes
            mkdir tls users
            divan cp travel tls/travel
            divan cp travel users/travel
            divan mkcoll users/travel hotels
            echo secret > secret
            chmod 600 secret
            divan users add users.json anna --password-file secret -c hotels
            divan users add users.json bo --password-file secret --read-only
            divan identity new server --key p256 --host 127.0.0.1
            divan identity new robot --key p256
            divan identity export robot > robot.pem
            printf '\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0\xff\xff\0\0\1\0\0\0' > empty.pcap
            """#,
        servers: [
            Server(name: "plain", command: "serve travel --no-tls --interface 127.0.0.1"),
            Server(
                name: "tls",
                command: "serve tls/travel --interface 127.0.0.1 --identity server"
            ),
            Server(
                name: "users",
                command: "serve users/travel --no-tls --interface 127.0.0.1 --users users.json"
            ),
            Server(name: "vectors", command: "serve vectors --no-tls --interface 127.0.0.1"),
        ],
        commands: #"""
            divan pull notes ws://127.0.0.1:1/travel
            divan pull notes ws://nosuch.invalid/travel
            divan pull notes http://127.0.0.1/travel
            divan pull notes ws://127.0.0.1
            divan pull notes ws://anna:secret@127.0.0.1/travel
            divan pull notes ws://$plain/nosuch
            divan pull notes wss://$plain/travel
            divan pull notes ws://$tls/travel
            divan pull notes wss://$tls/travel
            divan pull notes wss://$tls/travel --pin robot.pem
            divan pull notes ws://$users/travel
            DIVAN_PASSWORD=wrong divan pull notes ws://$users/travel --user anna
            DIVAN_PASSWORD=secret divan pull notes ws://$users/travel --user anna
            DIVAN_PASSWORD=secret divan push notes ws://$users/travel --user bo
            divan pull notes ws://$vectors/vectors
            divan sync edited ws://$plain/travel --conflicts leave
            divan pull travel ws://$plain/travel
            divan pull notes ws://$plain/travel --pull-filter 'a b'
            divan pull notes ws://$plain/travel --identity robot
            divan doctor wss://$tls/travel
            divan doctor ws://$users/travel
            divan doctor ws://$plain/travel -c hotels
            divan wire decode empty.pcap
            divan wire proxy --to ws://$plain/travel --record empty.pcap
            """#
    )
}
