import DivanJSON

/// Words of other SQL dialects that SQL++ for Mobile lacks, each with what to write instead.
///
/// None of them is reserved: each is a valid name wherever a name is allowed. They are looked up
/// when a text turns out to be wrong.
enum ForeignWords {
    private static let saving =
        "queries are read-only; save documents with Collection.save(document:) or 'divan put'"
    private static let deleting =
        "queries are read-only; delete documents with Collection.delete(document:) or 'divan rm'"
    private static let making =
        "create indexes with Collection.createIndex or 'divan index make', and collections with"
        + " Database.createCollection or 'divan mkcoll'"
    private static let dropping =
        "delete indexes with Collection.deleteIndex or 'divan index rm', and collections with"
        + " Database.deleteCollection"
    private static let listing =
        "use 'divan collections', 'divan index ls' or 'divan info'"
    private static let transaction =
        "each query reads one snapshot of the database; group saves with Database.inBatch"
    private static let explaining =
        "show the plan with query.explain(), 'divan query --explain' or .explain"

    /// Words that begin an SQL statement.
    private static let beginnings: [ExactText: String] = [
        "INSERT": saving, "UPSERT": saving, "UPDATE": saving, "MERGE": saving, "REPLACE": saving,
        "DELETE": deleting, "TRUNCATE": deleting, "CREATE": making, "ALTER": making,
        "DROP": dropping, "EXPLAIN": explaining, "ADVISE": explaining, "ANALYZE": explaining,
        "DESCRIBE": listing, "DESC": listing, "SHOW": listing, "INFER": listing,
        "PRAGMA": listing, "BEGIN": transaction, "COMMIT": transaction, "ROLLBACK": transaction,
        "START": transaction, "SAVEPOINT": transaction,
        "USE": "a query always runs on its own database; name the collection in FROM",
        "WITH": "query those rows first, and pass them as a parameter: x IN $rows",
        "VALUES": "pass values as parameters: $name",
        "LET": "name the expression with AS; WHERE and ORDER BY can use the name",
        "GRANT": "permissions belong to the users of a listener: 'divan users add'",
        "REVOKE": "permissions belong to the users of a listener: 'divan users add'",
    ]

    private static let rowsTogether = "run two queries, and combine the rows in your program"
    private static let joining = "write JOIN … ON a.x = b.x"
    private static let windows = "use GROUP BY to count and sum; number the rows in your program"
    private static let naming = "name the expression with AS; WHERE can use the name"
    private static let limiting = "write LIMIT 10 at the end, then OFFSET 20"
    private static let pattern = "write REGEXP_LIKE(name, 'pattern')"
    private static let plainRows = "rows have named columns; read the first column of each row"
    private static let levels = "run one query for each grouping level"

    /// Words after the beginning of a `SELECT`.
    private static let clauses: [ExactText: String] = [
        "UNION": rowsTogether, "INTERSECT": rowsTogether, "EXCEPT": rowsTogether,
        "MINUS": rowsTogether,
        "RIGHT": "swap the sources, and write LEFT JOIN",
        "FULL": "use LEFT JOIN, and a second query for the remaining rows",
        "NATURAL": joining, "USING": joining,
        "NEST": "write JOIN … ON, with ARRAY_AGG and GROUP BY",
        "OVER": windows, "PARTITION": windows, "WINDOW": windows, "QUALIFY": windows,
        "LET": naming, "LETTING": naming,
        "USE": "write WHERE META().id IN ['a', 'b']; indexes are chosen automatically",
        "FETCH": limiting, "TOP": limiting, "FIRST": limiting, "SKIP": limiting, "TAKE": limiting,
        "ROWS": limiting,
        "ILIKE": "write LOWER(name) LIKE 'o%'",
        "REGEXP": pattern, "RLIKE": pattern, "SIMILAR": pattern,
        "GLOB": "write LIKE, with % for any text and _ for one character",
        "STARTS": "write name LIKE 'text%'", "BEGINS": "write name LIKE 'text%'",
        "ENDS": "write name LIKE '%text'",
        "CONTAINS": "call the function instead: CONTAINS(name, 'text')",
        "MATCH": "call the function instead: MATCH(index, 'words')",
        "MATCHES": "write MATCH(index, 'words'), or REGEXP_LIKE(name, 'pattern')",
        "NULLS": "write ORDER BY price IS NOT VALUED, price to sort missing values last",
        "ESCAPE": "escape with a backslash: LIKE '10\\%'",
        "RETURNING": saving, "INTO": saving, "SET": saving, "VALUES": saving,
        "FOR": "queries are read-only, and take no locks",
        "XOR": "write (a OR b) AND NOT (a AND b)",
        "MOD": "write a % b", "DIV": "call the function instead: DIV(a, b)",
        "ISNULL": "write IS NULL", "NOTNULL": "write IS NOT NULL",
        "WITHIN": "write ANY v IN list SATISFIES v = 'x' END",
        "RAW": plainRows, "VALUE": plainRows, "ELEMENT": plainRows,
        "ROLLUP": levels, "CUBE": levels, "GROUPING": levels,
        "INTERVAL": "write DATE_ADD_STR(date, 1, 'day')",
        "DESCENDING": "write DESC", "ASCENDING": "write ASC", "EQUALS": "write =",
        "THAN": "write < or >", "ELSEIF": "write another WHEN … THEN",
        "TABLESAMPLE": "write LIMIT", "LATERAL": "write UNNEST a.list AS item",
    ]

    private static let noDate = "queries cannot read the clock; pass the time as a parameter: $now"
    private static let noPart =
        "REGEXP_REPLACE(name, '^(.{3}).*', '$1') returns the first three characters"
    private static let noWindow =
        "window functions are not supported; number the rows in your program"
    private static let noSpread = "select the values, and compute it in your program"
    private static let texts = "ARRAY_AGG(x) returns the values as an array"
    private static let firstValued = "write IFMISSINGORNULL(a, b)"
    private static let position = "write REGEXP_POSITION(name, 'text'), which counts from 0"
    private static let formatting = "write MILLIS_TO_STR(n) or STR_TO_UTC(text), with a format"
    private static let casting =
        "write TONUMBER(x), TOSTRING(x), TOBOOLEAN(x), TOARRAY(x) or TOOBJECT(x)"
    private static let choosing = "write CASE WHEN … THEN … ELSE … END"
    private static let noChange = "change arrays in your program; [a, b] creates an array"

    /// Functions of other dialects.
    private static let functions: [ExactText: String] = [
        "NOW": noDate, "GETDATE": noDate, "SYSDATE": noDate, "CURRENT_TIMESTAMP": noDate,
        "CURRENT_DATE": noDate, "CURRENT_TIME": noDate, "NOW_MILLIS": noDate, "NOW_STR": noDate,
        "NOW_UTC": noDate, "CLOCK_MILLIS": noDate, "CLOCK_STR": noDate, "UNIXEPOCH": noDate,
        "CLOCK_UTC": noDate, "DATE": formatting, "DATETIME": formatting, "STRFTIME": formatting,
        "TO_CHAR": formatting, "DATE_FORMAT": formatting, "DATE_FORMAT_STR": formatting,
        "DATEADD": "write DATE_ADD_STR(date, 1, 'day')",
        "DATE_ADD": "write DATE_ADD_STR(date, 1, 'day')",
        "DATEDIFF": "write DATE_DIFF_STR(a, b, 'day')",
        "DATE_DIFF": "write DATE_DIFF_STR(a, b, 'day')",
        "YEAR": formatting, "MONTH": formatting, "DAY": formatting, "EXTRACT": formatting,
        "DATE_PART": formatting, "DATE_PART_STR": formatting, "DATE_TRUNC": formatting,
        "COALESCE": firstValued, "NVL": firstValued, "IFNAN": firstValued,
        "NVL2": choosing, "IF": choosing, "IIF": choosing, "DECODE": choosing,
        "CAST": casting, "CONVERT": casting, "TO_DATE": formatting,
        "LEN": "write LENGTH(x)", "CHAR_LENGTH": "write LENGTH(x)",
        "CHARACTER_LENGTH": "write LENGTH(x)", "MB_LENGTH": "write LENGTH(x)",
        "UCASE": "write UPPER(x)", "LCASE": "write LOWER(x)",
        "TOUPPER": "write UPPER(x)", "TOLOWER": "write LOWER(x)",
        "SUBSTR": noPart, "SUBSTRING": noPart, "LEFT": noPart, "MID": noPart,
        "RIGHT": "REGEXP_REPLACE(name, '.*(.{3})$', '$1') returns the last three characters",
        "REPLACE": "write REGEXP_REPLACE(name, 'old', 'new')",
        "INSTR": position, "STRPOS": position, "POSITION": position, "CHARINDEX": position,
        "LOCATE": position, "STARTS_WITH": "write name LIKE 'text%'",
        "STARTSWITH": "write name LIKE 'text%'", "HAS_PREFIX": "write name LIKE 'text%'",
        "ENDS_WITH": "write name LIKE '%text'", "ENDSWITH": "write name LIKE '%text'",
        "CONCAT_WS": "write CONCAT(a, ', ', b), or a || ', ' || b",
        "GROUP_CONCAT": texts, "STRING_AGG": texts, "LISTAGG": texts, "JSON_GROUP_ARRAY": texts,
        "JSON_AGG": texts, "COLLECT": texts, "FIRST": "write MIN(x)", "LAST": "write MAX(x)",
        "TOTAL": "write SUM(x)", "MEAN": "write AVG(x)", "MAXIMUM": "write MAX(x)",
        "MINIMUM": "write MIN(x)", "AVERAGE": "write AVG(x)",
        "COUNTN": "write COUNT(x)", "COUNT_IF": "write SUM(TONUMBER(condition))",
        "STDDEV": noSpread, "VARIANCE": noSpread, "MEDIAN": noSpread, "STDEV": noSpread,
        "PERCENTILE": noSpread, "MODE": noSpread,
        "ROW_NUMBER": noWindow, "DENSE_RANK": noWindow, "NTILE": noWindow, "LAG": noWindow,
        "LEAD": noWindow, "FIRST_VALUE": noWindow, "LAST_VALUE": noWindow,
        "RANDOM": "queries cannot create random numbers; shuffle the rows in your program",
        "RAND": "queries cannot create random numbers; shuffle the rows in your program",
        "UUID": "create IDs in your program", "MOD": "write a % b", "POW": "write POWER(a, b)",
        "CEILING": "write CEIL(x)", "SQUARE": "write x * x", "LOG10": "write LOG(x)",
        "LOG2": "write LN(x) / LN(2)", "SQR": "write SQRT(x)",
        "ARRAY_SIZE": "write ARRAY_LENGTH(x)", "JSON_ARRAY_LENGTH": "write ARRAY_LENGTH(x)",
        "CARDINALITY": "write ARRAY_LENGTH(x)", "SIZE": "write ARRAY_LENGTH(x)",
        "ARRAY_APPEND": noChange, "ARRAY_CONCAT": noChange, "ARRAY_PUT": noChange,
        "ARRAY_DISTINCT": noChange, "ARRAY_SORT": noChange, "ARRAY_REVERSE": noChange,
        "ARRAY_REMOVE": noChange,
        "UNNEST": "write FROM c UNNEST c.list AS item",
        "JSON_EXTRACT": "write the path: maker.city, tags[0]",
        "JSON_VALUE": "write the path: maker.city, tags[0]",
        "OBJECT_NAMES": "select the object, and list its keys in your program",
        "OBJECT_KEYS": "select the object, and list its keys in your program",
        "TYPEOF": "write TYPE(x)", "ISNULL": "write x IS NULL",
        "ISMISSING": "write x IS MISSING", "ISVALUED": "write x IS VALUED",
        "REGEXP": "write REGEXP_LIKE(name, 'pattern')",
        "REGEXP_SUBSTR": "write REGEXP_REPLACE(name, '.*(pattern).*', '$1')",
    ]

    /// What to write instead of a statement that begins with a word.
    static func remedy(beginning word: String) -> String? {
        beginnings[ExactText(word.uppercased())]
    }

    /// What to write instead of a word inside a `SELECT`.
    static func remedy(inside word: String) -> String? { clauses[ExactText(word.uppercased())] }

    /// What to write instead of a function of another dialect.
    static func remedy(function name: String) -> String? { functions[ExactText(name.uppercased())] }
}
