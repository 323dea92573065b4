import DivanExchange

/// JSON and comma-separated values.
extension ForeignFile {
    static let plain = [
        ForeignFile(
            "JSON Lines",
            page: "https://jsonlines.org/",
            as: .json,
            #"""
            {"_id":"a","name":"Ada","scores":[1,2.5,-0.25]}
            {"_id":"b","name":"Bø","nothing":null}

            """#,
            documents: #"""
                {"_id":"a","name":"Ada","scores":[1,2.5,-0.25]}
                {"_id":"b","name":"Bø","nothing":null}

                """#
        ),
        ForeignFile(
            "NDJSON with carriage returns",
            page: "https://github.com/ndjson/ndjson-spec",
            as: .json,
            "{\"_id\":\"a\",\"n\":9007199254740993}\r\n{\"_id\":\"b\",\"n\":-1}\r\n",
            documents: "{\"_id\":\"a\",\"n\":9007199254740993}\n{\"_id\":\"b\",\"n\":-1}\n"
        ),
        ForeignFile(
            "an indented JSON array with escapes",
            page: "https://www.rfc-editor.org/rfc/rfc8259",
            as: .json,
            #"""
            [
              { "_id": "a", "text": "\u00e9\n\"x\"" },
              { "_id": "b", "digits": 123456789012345678901234567890 }
            ]
            """#,
            documents: #"""
                {"_id":"a","text":"é\n\"x\""}
                {"_id":"b","digits":123456789012345678901234567890}

                """#
        ),
        ForeignFile(
            "indented objects of jq",
            page: "https://jqlang.org/manual/",
            as: .json,
            """
            {
              "_id": "a",
              "list": [
                1
              ]
            }
            {
              "_id": "b"
            }

            """,
            documents: "{\"_id\":\"a\",\"list\":[1]}\n{\"_id\":\"b\"}\n"
        ),
        ForeignFile(
            "cbexport json --format lines --include-key id",
            page: "https://docs.couchbase.com/server/current/tools/cbexport-json.html",
            as: .json,
            idKey: "id",
            """
            {"id":"airline_1","name":"Q","type":"airline"}
            {"id":"airline_2","name":"R","type":"airline"}

            """,
            documents: """
                {"_id":"airline_1","name":"Q","type":"airline"}
                {"_id":"airline_2","name":"R","type":"airline"}

                """
        ),
        ForeignFile(
            "cbexport json --format list --include-key id",
            page: "https://docs.couchbase.com/server/current/tools/cbexport-json.html",
            as: .json,
            idKey: "id",
            "[\n{\"id\":\"a\",\"n\":1},\n{\"id\":\"b\",\"n\":2}\n]\n",
            documents: "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"n\":2}\n"
        ),
        ForeignFile(
            "sqlite3 .mode json",
            page: "https://sqlite.org/cli.html",
            as: .json,
            idKey: "id",
            "[{\"id\":1,\"name\":\"soup\"},\n{\"id\":2,\"name\":null}]\n",
            documents: "{\"_id\":\"1\",\"name\":\"soup\"}\n{\"_id\":\"2\",\"name\":null}\n"
        ),
    ]

    static let tables = [
        ForeignFile(
            "comma-separated values",
            page: "https://www.rfc-editor.org/rfc/rfc4180",
            as: .csv(CSVRules()),
            isTable: true,
            "_id,name,n\r\na,\"say \"\"hi\"\", now\",1.5\r\nb,\"two\r\nlines\",007\r\n",
            documents: #"""
                {"_id":"a","n":1.5,"name":"say \"hi\", now"}
                {"_id":"b","n":"007","name":"two\r\nlines"}

                """#
        ),
        ForeignFile(
            "tab-separated values",
            page: "https://www.iana.org/assignments/media-types/text/tab-separated-values",
            as: .csv(CSVRules(separator: UInt8(ascii: "\t"))),
            idKey: "sku",
            isTable: true,
            "sku\tname\tprice\na1\tTea, green\t3\na2\tCup\t12.25\n",
            documents: """
                {"_id":"a1","name":"Tea, green","price":3}
                {"_id":"a2","name":"Cup","price":12.25}

                """
        ),
        ForeignFile(
            "a spreadsheet with semicolons and a separator line",
            page: "https://learn.microsoft.com/en-us/office/vba/api/excel.xlfileformat",
            as: .csv(CSVRules()),
            isTable: true,
            "\u{FEFF}sep=;\r\n_id;price\r\na;1,50\r\nb;2\r\n",
            documents: "{\"_id\":\"a\",\"price\":\"1,50\"}\n{\"_id\":\"b\",\"price\":2}\n"
        ),
        ForeignFile(
            "COPY … TO … WITH (FORMAT csv, HEADER) of PostgreSQL",
            page: "https://www.postgresql.org/docs/current/sql-copy.html",
            as: .csv(CSVRules(textColumns: ["zip"])),
            idKey: "id",
            isTable: true,
            "id,zip,note,empty\n1,01067,,\"\"\n2,80331,t,x\n",
            documents: """
                {"_id":"1","empty":"","zip":"01067"}
                {"_id":"2","empty":"x","note":"t","zip":"80331"}

                """
        ),
    ]
}
