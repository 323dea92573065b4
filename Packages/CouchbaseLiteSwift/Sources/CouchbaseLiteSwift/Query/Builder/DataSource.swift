import DivanDatabase
import DivanJSON
import DivanQuery

/// A source of rows for a built query.
public protocol DataSourceProtocol: Sendable {}

/// A source that can be given an alias.
public protocol DataSourceAs: DataSourceProtocol {
    /// Returns the same source with this alias.
    func `as`(_ alias: String) -> any DataSourceProtocol
}

/// Creates sources.
public final class DataSource: Sendable {
    private init() {}

    /// The documents of a collection.
    public static func collection(_ collection: Collection) -> any DataSourceAs {
        BuiltSource(collection)
    }

    /// The documents of a database's default collection.
    @available(*, deprecated, message: "Use DataSource.collection(_:).")
    public static func database(_ database: Database) -> any DataSourceAs {
        // The query fails when it runs if the collection is not open.
        BuiltSource(database.defaultCollectionObject, name: database.name)
    }
}

struct BuiltSource: DataSourceAs {
    let collection: Collection
    let source: QuerySource

    init(_ collection: Collection, name: String? = nil) {
        self.collection = collection
        source = QuerySource(
            .collection(
                scope: ExactText(collection.scope.name),
                name: ExactText(collection.name)
            ),
            alias: name.map { ExactText($0) }
        )
    }

    private init(_ collection: Collection, _ source: QuerySource) {
        self.collection = collection
        self.source = source
    }

    func `as`(_ alias: String) -> any DataSourceProtocol {
        var source = source
        source.alias = ExactText(alias)
        return BuiltSource(collection, source)
    }

    init(_ source: any DataSourceProtocol) {
        guard let built = source as? BuiltSource else {
            stopForMisuse("\(type(of: source)) is not a supported data source; use DataSource")
        }
        self = built
    }
}

/// A join with another source.
public protocol JoinProtocol: Sendable {}

/// A join without its condition.
public protocol JoinOnProtocol: JoinProtocol {
    /// Sets the join condition.
    func on(_ expression: any ExpressionProtocol) -> any JoinProtocol
}

/// Creates joins.
public final class Join: Sendable {
    private init() {}

    /// An inner join: the pairs that meet the condition.
    public static func join(_ dataSource: any DataSourceProtocol) -> any JoinOnProtocol {
        innerJoin(dataSource)
    }

    /// An inner join: the pairs that meet the condition.
    public static func innerJoin(_ dataSource: any DataSourceProtocol) -> any JoinOnProtocol {
        BuiltJoin(dataSource, .inner)
    }

    /// A left outer join: the pairs that meet the condition, and the unmatched rows of the preceding sources.
    public static func leftJoin(_ dataSource: any DataSourceProtocol) -> any JoinOnProtocol {
        leftOuterJoin(dataSource)
    }

    /// A left outer join: the pairs that meet the condition, and the unmatched rows of the preceding sources.
    public static func leftOuterJoin(_ dataSource: any DataSourceProtocol) -> any JoinOnProtocol {
        BuiltJoin(dataSource, .leftOuter)
    }

    /// A cross join: all pairs.
    public static func crossJoin(_ dataSource: any DataSourceProtocol) -> any JoinProtocol {
        BuiltJoin(dataSource, .cross)
    }
}

struct BuiltJoin: JoinOnProtocol {
    private(set) var source: QuerySource

    init(_ dataSource: any DataSourceProtocol, _ join: QueryJoin) {
        source = BuiltSource(dataSource).source
        source.join = join
    }

    init(_ join: any JoinProtocol) {
        guard let built = join as? BuiltJoin else {
            stopForMisuse("\(type(of: join)) is not a supported join; use Join")
        }
        self = built
    }

    func on(_ expression: any ExpressionProtocol) -> any JoinProtocol {
        var join = self
        join.source.condition = QueryExpression(expression)
        return join
    }
}
