extension MessageArea {
    static let documents = MessageArea(
        title: "Documents, JSON and blobs",
        words: """
            `notes` contains `soup`, the deleted document `old`, and `gallery` with two blobs, \
            `one` and `two`. A blob of `lost` is missing, and one of `spoilt` is damaged.
            """,
        preparation: #"""
            divan new notes
            divan put notes soup '{"salt":1,"steps":[1]}'
            divan put notes old '{}'
            divan rm notes old
            echo picture > photo.png
            echo drawing > plan.png
            echo '{}' > menu.json
            divan blob put notes gallery one photo.png
            divan blob put notes gallery two plan.png
            divan new lost
            divan blob put lost a one photo.png
            rm lost.cblite2/Attachments/*
            divan new spoilt
            divan blob put spoilt a one photo.png
            for file in spoilt.cblite2/Attachments/*; do echo pictura > "$file"; done
            """#,
        commands: #"""
            divan get notes nosuch
            divan get notes old
            divan put notes _x '{}'
            divan put notes a '[]'
            divan put notes a menu.json
            divan put notes a '{"a":'
            divan put notes a '{"a":1,}'
            divan put notes a "{'a':1}"
            divan put notes a '{"a":1 "b":2}'
            divan put notes a '{"a":01}'
            divan put notes a '{"a":"\x"}'
            printf '{"a":"\xff"}' | divan put notes a
            divan put notes a '{"_id":"b"}'
            divan put notes a '{"":1}'
            divan put notes soup '{}' --create
            divan put notes soup '{}' --over 1-abc
            divan put notes a '{"photo":{"@type":"blob","data":"!!"}}'
            divan blob get notes gallery
            divan blob put notes soup /a/b photo.png
            divan blob get lost a
            divan blob get spoilt a
            divan dump lost lost.dump
            EDITOR=false divan edit notes soup
            EDITOR='echo [] >' divan edit notes soup
            EDITOR= divan edit notes soup
            divan conflicts show notes soup
            """#
    )
}
