extension MessageArea {
    static let queries = MessageArea(
        title: "Queries and indexes",
        words: """
            `shop` has a collection `inv.chairs` with the properties `name`, `price`, `tags` and \
            `maker`, and a full-text index `words`.
            """,
        preparation: #"""
            divan new shop -c inv.chairs
            divan put shop a '{"name":"Oslo","price":3,"tags":["x"],"maker":{}}' -c inv.chairs
            divan index make shop words -c inv.chairs name --text
            divan put shop z '{"n":1}'
            """#,
        commands: #"""
            divan query shop ''
            divan query shop 'SELEC name FROM inv.chairs'
            divan query shop 'SELECT name FORM inv.chairs'
            divan query shop 'SELECT name'
            divan query shop 'SELECT name, FROM inv.chairs'
            divan query shop 'SELECT name FROM inv.chiars'
            divan query shop 'SELECT name FROM inv.chairs WHERE'
            divan query shop "SELECT name FROM inv.chairs WHERE name = 'Oslo"
            divan query shop 'SELECT name FROM inv.chairs ORDER price'
            divan query shop 'SELECT name FROM inv.chairs LIMIT 1 ORDER BY price'
            divan query shop 'SELECT LENTGH(name) FROM inv.chairs'
            divan query shop 'SELECT NOW() FROM inv.chairs'
            divan query shop 'SELECT name FROM inv.chairs WHERE COUNT(*) > 1'
            divan query shop 'SELECT name FROM inv.chairs AS c JOIN _ AS d ON c.name = d.name'
            divan query shop "SELECT name FROM inv.chairs WHERE MATCH(name, 'x')"
            divan query shop 'DELETE FROM inv.chairs'
            divan query shop 'SELECT name FROM inv.chairs UNION SELECT name FROM _'
            divan query shop 'SELECT name FROM inv.chairs WHERE EXISTS tags'
            divan query shop 'SELECT order FROM inv.chairs'
            divan query shop 'SELECT tags[x] FROM inv.chairs'
            divan query shop 'SELECT name -- all'
            divan query shop 'SELECT name FROM inv.chairs' -p x=1
            divan index make shop i -c inv.chairs 'COUNT(*)'
            divan index make shop i -c inv.chairs 'STR_TO_MILLIS(name)'
            divan index stats shop words -c inv.chairs
            divan search shop oak
            divan search shop oak -c inv.chairs --model ./embed.py
            divan index rm shop nosuch
            divan index rm shop words
            """#
    )
}
