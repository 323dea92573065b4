import DivanExchange
import DivanJSON

/// MongoDB, CouchDB, and answers of other servers.
extension ForeignFile {
    private static let extendedJSON =
        "https://github.com/mongodb/specifications/blob/master/source/extended-json/extended-json.md"

    static let mongo = [
        ForeignFile(
            "mongoexport, relaxed",
            page: "https://www.mongodb.com/docs/database-tools/mongoexport/",
            as: .mongo(),
            #"""
            {"_id":{"$oid":"5f6a7b8c9d0e1f2a3b4c5d6e"},"n":5,"d":1.5,"at":{"$date":"2019-08-11T17:54:14.692Z"}}
            {"_id":{"$oid":"5f6a7b8c9d0e1f2a3b4c5d6f"},"big":9223372036854775807}

            """#,
            documents: #"""
                {"_id":"5f6a7b8c9d0e1f2a3b4c5d6e","at":"2019-08-11T17:54:14.692Z","d":1.5,"n":5}
                {"_id":"5f6a7b8c9d0e1f2a3b4c5d6f","big":9223372036854775807}

                """#
        ),
        ForeignFile(
            "canonical Extended JSON: numbers",
            page: extendedJSON,
            as: .mongo(),
            #"""
            {"_id":"a","i":{"$numberInt":"-42"},"l":{"$numberLong":"9007199254740993"},"d":{"$numberDouble":"-1.5E-10"}}
            {"_id":"b","p":{"$numberDouble":"Infinity"},"m":{"$numberDouble":"-Infinity"},"x":{"$numberDouble":"NaN"}}
            {"_id":"c","price":{"$numberDecimal":"19.99"},"long":{"$numberDecimal":"1234567890.123456789012345678901234"}}
            {"_id":"d","rounded":{"$numberDecimal":"0.12345678901234567"},"huge":{"$numberDecimal":"1E+6144"}}

            """#,
            documents: #"""
                {"_id":"a","d":-1.5e-10,"i":-42,"l":9007199254740993}
                {"_id":"b","m":"-Infinity","p":"Infinity","x":"NaN"}
                {"_id":"c","long":1234567890.123456789012345678901234,"price":19.99}
                {"_id":"d","huge":"1E+6144","rounded":"0.12345678901234567"}

                """#
        ),
        ForeignFile(
            "canonical Extended JSON: dates, UUIDs and binary data",
            page: extendedJSON,
            as: .mongo(),
            #"""
            {"_id":{"$uuid":"73FFD264-44B3-4C69-90E8-E7D1DFC035D4"},"at":{"$date":{"$numberLong":"1565546054692"}}}
            {"_id":"b","u":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"04"}},"old":{"$date":{"$numberLong":"-62135596800001"}}}
            {"_id":"c","far":{"$date":{"$numberLong":"253402300800000"}},"md5":{"$binary":{"base64":"AQI=","subType":"05"}}}
            {"_id":"d","blob":{"$binary":{"base64":"AQI=","subType":"00"}}}

            """#,
            documents: #"""
                {"_id":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4","at":"2019-08-11T17:54:14.692Z"}
                {"_id":"b","old":"0000-12-31T23:59:59.999Z","u":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}
                {"_id":"c","far":{"$date":253402300800000},"md5":{"$binary":{"base64":"AQI=","subType":"05"}}}
                {"_id":"d","blob":{"@type":"blob","content_type":"application/octet-stream","data":"AQI=","digest":"sha1-DKYj4oVfLHXIQq0wL+gg5BtNGX0=","length":2}}

                """#
        ),
        ForeignFile(
            "canonical Extended JSON: types that JSON lacks",
            page: extendedJSON,
            as: .mongo(),
            #"""
            {"_id":"a","r":{"$regularExpression":{"pattern":"^x","options":"i"}},"t":{"$timestamp":{"t":42,"i":1}}}
            {"_id":"b","min":{"$minKey":1},"max":{"$maxKey":1},"s":{"$symbol":"red"},"c":{"$code":"f()"}}
            {"_id":"c","ref":{"$ref":"users","$id":{"$oid":"5f6a7b8c9d0e1f2a3b4c5d6e"}},"own":{"$oid":"no","x":1}}

            """#,
            documents: #"""
                {"_id":"a","r":{"$regularExpression":{"options":"i","pattern":"^x"}},"t":{"$timestamp":{"i":1,"t":42}}}
                {"_id":"b","c":{"$code":"f()"},"max":{"$maxKey":1},"min":{"$minKey":1},"s":"red"}
                {"_id":"c","own":{"$oid":"no","x":1},"ref":{"$id":"5f6a7b8c9d0e1f2a3b4c5d6e","$ref":"users"}}

                """#
        ),
        ForeignFile(
            "mongoexport --jsonArray --pretty",
            page: "https://www.mongodb.com/docs/database-tools/mongoexport/",
            as: .mongo(),
            """
            [{
            \t"_id": {
            \t\t"$oid": "5f6a7b8c9d0e1f2a3b4c5d6e"
            \t},
            \t"list": [
            \t\t{
            \t\t\t"$numberInt": "1"
            \t\t}
            \t]
            }]
            """,
            documents: "{\"_id\":\"5f6a7b8c9d0e1f2a3b4c5d6e\",\"list\":[1]}\n"
        ),
    ]

    private static let couchbackup = "https://github.com/IBM/couchbackup"
    private static let bulk = "https://docs.couchdb.org/en/stable/api/database/bulk-api.html"

    static let couch = [
        ForeignFile(
            "couchbackup before version 2.10",
            page: couchbackup,
            as: .couch(keepingRevisions: false),
            """
            [{"_id":"a","_rev":"1-x","n":1},{"_id":"b","_rev":"2-y","n":2}]
            []
            [{"_id":"c","_rev":"1-z","n":3}]

            """,
            documents: "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"n\":2}\n{\"_id\":\"c\",\"n\":3}\n"
        ),
        ForeignFile(
            "couchbackup with a header",
            page: couchbackup,
            as: .couch(keepingRevisions: false),
            """
            {"name":"@cloudant/couchbackup","version":"2.11.0","mode":"full","attachments":false}
            [{"_id":"a","_rev":"1-x","n":1}]
            []

            """,
            documents: "{\"_id\":\"a\",\"n\":1}\n"
        ),
        ForeignFile(
            "couchbackup that was interrupted in a document, and between two, and resumed",
            page: couchbackup,
            as: .couch(keepingRevisions: false),
            """
            {"name":"@cloudant/couchbackup","version":"2.11.0","mode":"full","attachments":false}
            {"marker":"@cloudant/couchbackup:resume"}
            [{"_id":"a","_rev":"1-x","n":1},{"_id":"b","_rev":"1-x","text":"half{"marker":"@cloudant/couchbackup:resume"}
            [{"_id":"a","_rev":"1-x","n":1},{"marker":"@cloudant/couchbackup:resume"}
            [{"_id":"a","_rev":"1-x","n":1},{"_id":"b","_rev":"1-x","text":"half and half"}]

            """,
            documents: "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"text\":\"half and half\"}\n"
        ),
        ForeignFile(
            "_all_docs?include_docs=true&attachments=true",
            page: bulk,
            as: .couch(keepingRevisions: false),
            """
            {"total_rows":2,"offset":0,"rows":[
            {"id":"_design/x","key":"_design/x","value":{"rev":"1-d"},"doc":{"_id":"_design/x","views":{}}},
            {"id":"a","key":"a","value":{"rev":"1-x"},"doc":{"_id":"a","_rev":"1-x","n":1,"_attachments":{"t":{"content_type":"text/plain","data":"aGVsbG8=","digest":"md5-x","revpos":1}}}}
            ]}
            """,
            documents: #"""
                {"_id":"a","attachments":{"t":{"@type":"blob","content_type":"text/plain","data":"aGVsbG8=","digest":"sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=","length":5}},"n":1}

                """#
        ),
        ForeignFile(
            "_bulk_get",
            page: bulk,
            as: .couch(keepingRevisions: false),
            """
            {"results":[{"id":"a","docs":[{"ok":{"_id":"a","_rev":"1-x","n":1}}]},
            {"id":"b","docs":[{"ok":{"_id":"b","_rev":"1-x","n":2}}]}]}
            """,
            documents: "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"n\":2}\n"
        ),
        ForeignFile(
            "the body of _bulk_docs",
            page: bulk,
            as: .couch(keepingRevisions: false),
            "{\"docs\":[{\"_id\":\"a\",\"n\":1},{\"_id\":\"b\",\"n\":2}]}",
            documents: "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"n\":2}\n"
        ),
        ForeignFile(
            "_find",
            page: "https://docs.couchdb.org/en/stable/api/database/find.html",
            as: .couch(keepingRevisions: false),
            "{\"docs\":[{\"_id\":\"a\",\"_rev\":\"1-x\",\"n\":1}],\"bookmark\":\"nil\",\"warning\":\"no index\"}",
            documents: "{\"_id\":\"a\",\"n\":1}\n"
        ),
        ForeignFile(
            "_changes?include_docs=true",
            page: "https://docs.couchdb.org/en/stable/api/database/changes.html",
            as: .couch(keepingRevisions: false),
            """
            {"results":[
            {"seq":"1-g","id":"a","changes":[{"rev":"1-x"}],"doc":{"_id":"a","_rev":"1-x","n":1}},
            {"seq":"2-g","id":"b","changes":[{"rev":"2-y"}],"deleted":true}
            ],"last_seq":"2-g","pending":0}
            """,
            documents: "{\"_id\":\"a\",\"n\":1}\n"
        ),
        ForeignFile(
            "pouchdb-dump",
            page: "https://www.npmjs.com/package/pouchdb-replication-stream",
            as: .couch(keepingRevisions: false),
            """
            {"version":"1.2.9","db_type":"leveldb","start_time":"2015-01-01T00:00:00.000Z","db_info":{"doc_count":2}}
            {"docs":[{"_id":"a","_rev":"1-x","n":1}]}
            {"seq":1}
            {"docs":[{"_id":"b","_rev":"1-x","n":2}]}
            {"seq":2}

            """,
            documents: "{\"_id\":\"a\",\"n\":1}\n{\"_id\":\"b\",\"n\":2}\n"
        ),
    ]

    static let nested = [
        ForeignFile(
            "hits of Elasticsearch",
            page:
                "https://www.elastic.co/guide/en/elasticsearch/reference/current/search-search.html",
            as: .nested("/hits/hits"),
            """
            {"took":5,"timed_out":false,"_shards":{"total":1},"hits":{"total":{"value":2,"relation":"eq"},
            "hits":[{"_index":"i","_id":"0","_score":1.3,"_source":{"n":1}},{"_index":"i","_id":"1","_score":1.2,"_source":{"n":2}}]}}
            """,
            documents: """
                {"_id":"0","_index":"i","_score":1.3,"_source":{"n":1}}
                {"_id":"1","_index":"i","_score":1.2,"_source":{"n":2}}

                """
        ),
        ForeignFile(
            "resources of JSON:API",
            page: "https://jsonapi.org/format/",
            as: .nested("/data"),
            idKey: "id",
            keepsKey: true,
            """
            {"links":{"self":"http://example.com/articles"},
            "data":[{"type":"articles","id":"1","attributes":{"title":"T"}}],"included":[{"id":"9"}]}
            """,
            documents:
                "{\"_id\":\"1\",\"attributes\":{\"title\":\"T\"},\"id\":\"1\",\"type\":\"articles\"}\n"
        ),
        ForeignFile(
            "entities of OData, two pages one after the other",
            page:
                "https://docs.oasis-open.org/odata/odata-json-format/v4.01/odata-json-format-v4.01.html",
            as: .nested("/value"),
            idKey: "ID",
            """
            {"@odata.context":"$metadata#Products","value":[{"ID":1,"Name":"Milk"}],"@odata.nextLink":"next"}
            {"@odata.context":"$metadata#Products","value":[{"ID":2,"Name":"Bread"}]}
            """,
            documents: "{\"Name\":\"Milk\",\"_id\":\"1\"}\n{\"Name\":\"Bread\",\"_id\":\"2\"}\n"
        ),
        ForeignFile(
            "items of a Kubernetes list",
            page: "https://kubernetes.io/docs/reference/using-api/api-concepts/",
            as: .nested("/items"),
            idKey: "name",
            "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"items\":[1]},\"items\":[{\"name\":\"p\",\"n\":1}]}",
            documents: "{\"_id\":\"p\",\"n\":1}\n"
        ),
        ForeignFile(
            "an export of Firebase Realtime Database",
            page: "https://firebase.google.com/docs/database/rest/retrieve-data",
            as: .nested(""),
            """
            {
              "alan" : { "born" : 1912, "full~name" : "Alan" },
              "gr\\u0061ce/h" : { "born" : 1906 }
            }
            """,
            documents: #"""
                {"_id":"alan","born":1912,"full~name":"Alan"}
                {"_id":"grace/h","born":1906}

                """#
        ),
        ForeignFile(
            "a part of an export of Firebase Realtime Database",
            page: "https://firebase.google.com/docs/database/rest/retrieve-data",
            as: .nested("/my~1app/users"),
            "{\"users\":{\"x\":{}},\"my/app\":{\"posts\":{\"p\":{}},\"users\":{\"u1\":{\"n\":1},\"u2\":{\"_id\":\"own\"}}}}",
            documents: "{\"_id\":\"own\"}\n{\"_id\":\"u1\",\"n\":1}\n"
        ),
    ]
}
