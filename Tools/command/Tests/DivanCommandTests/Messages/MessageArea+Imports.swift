extension MessageArea {
    static let imports = MessageArea(
        title: "Import and dumps",
        words: """
            `notes` and `other` are databases, and `notes.dump` and `other.dump` their dumps. \
            `good.csv` is valid; the names of the other files describe their problems.
            """,
        preparation: #"""
            divan new notes
            divan put notes soup '{"salt":1}'
            divan new other
            mkdir empty
            printf '{"_id":"a"}\n[]\n' > list.jsonl
            printf '{"_id":"b"}\n{"_id":' > cut.jsonl
            printf 'hello\n' > text.txt
            printf 'a,b\n1,2\n' > good.csv
            printf 'a,b\n1,2,3\n' > long.csv
            printf 'a,b\n1,"x\n' > quote.csv
            printf 'a,b;c\n1,2;3\n' > separator.csv
            printf '\xff\xfea\x00,\x00' > utf16.csv
            printf '{"rows":[{"id":"a","key":"a","value":{"rev":"1-a"}}]}' > ids.json
            attachment='{"x":{"stub":true}}'
            echo '{"rows":[{"doc":{"_id":"a","_attachments":'$attachment'},"id":"a"}]}' > stub.json
            divan dump notes notes.dump
            divan dump other other.dump
            head -n 2 notes.dump > cut.dump
            sed s/salt/silt/ notes.dump > changed.dump
            """#,
        commands: #"""
            divan import notes empty
            divan import notes list.jsonl
            divan import notes list.jsonl --keep-going
            divan import notes cut.jsonl
            divan import notes text.txt
            divan import notes good.csv --id-from key
            divan import notes long.csv
            divan import notes quote.csv
            divan import notes separator.csv
            divan import notes utf16.csv
            divan import notes ids.json --from couchdb
            divan import notes stub.json --from couchdb
            divan restore copy cut.dump
            divan restore copy changed.dump
            divan restore copy other.dump notes.dump
            divan restore copy notes.dump notes.dump
            divan dump notes --since other.dump
            divan dump notes notes.dump --since notes.dump
            """#
    )
}
