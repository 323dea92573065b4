extension MessageArea {
    static let rest = MessageArea(
        title: "REST interface",
        words: """
            `$rest` serves `notes` with the document `soup`. `$users` serves it to `anna`, who may \
            only read `shop.chairs`, and to `bo`, whose documents meet `owner = $user`. The lines \
            show the HTTP status and the body of each response.
            """,
        preparation: #"""
            divan new notes -c shop.chairs
            divan put notes soup '{"salt":1}'
            mkdir users
            divan cp notes users/notes
            echo secret > secret
            chmod 600 secret
            divan users add users.json anna --password-file secret --read-only -c shop.chairs
            divan users add users.json bo --password-file secret --where 'owner = $user'
            """#,
        servers: [
            Server(
                name: "rest",
                member: "rest",
                command: "serve notes --no-tls --interface 127.0.0.1 --rest 0"
            ),
            Server(
                name: "users",
                member: "rest",
                command: "serve users/notes --no-tls --interface 127.0.0.1 --rest 0 "
                    + "--users users.json"
            ),
        ],
        commands: #"""
            curl $rest/nosuch
            curl $rest/notes/nosuch/_all_docs
            curl $rest/notes/_default/nosuch
            curl -X PUT -d '[]' $rest/notes/_default/a
            curl -X PUT -d '{"a":' $rest/notes/_default/a
            curl -X PUT -d '{"_id":"b"}' $rest/notes/_default/a
            curl -X PUT -d '{}' $rest/notes/_default/_a
            curl -X PUT -d '{}' $rest/notes/_default/soup
            curl -X PUT -d '{}' -H 'If-Match: "1-a"' $rest/notes/_default/soup?rev=1-a
            curl $rest/notes/_default/soup?rev=1-a
            curl -H 'If-Match: "1-a"' $rest/notes/_default/soup
            curl -X PUT -d x $rest/notes/_default/soup/_blobs/photo
            curl $rest/notes/_default/_all_docs?limit=0
            curl -d '{}' $rest/notes/_query
            curl -d '{"query":"SELECT a FROM nosuch"}' $rest/notes/_query
            curl -H 'Host: example.org' $rest
            curl -X PUT -d '{}' -H 'Origin: https://example.org' $rest/notes/_default/a
            curl -H 'Sec-Fetch-Site: cross-site' $rest
            curl $users/notes
            curl -u anna:wrong $users/notes
            curl -u anna:secret -X PUT -d '{}' $users/notes/shop.chairs/a
            curl -u bo:secret -X PUT -d '{}' $users/notes/_default/a
            curl -u bo:secret -X PUT -d '{"owner":"bo"}' $users/notes/_default/soup
            """#
    )

    static let studio = MessageArea(
        title: "Studio",
        words: """
            `divan studio notes` serves pages at `$studio`, and `$cookie` contains its token.
            """,
        preparation: #"""
            divan new notes
            divan put notes soup '{"salt":1}'
            """#,
        servers: [Server(name: "studio", member: "url", command: "studio notes")],
        commands: #"""
            curl $studio
            curl -H 'Host: example.org' $studio
            curl -b $cookie $studio/document.json
            curl -b $cookie $studio/conflict.json?id=soup
            curl -b $cookie -X PUT -d '{}' $studio/document.json?id=soup
            """#
    )
}
