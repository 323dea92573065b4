import DivanQuery

/// Functions and aggregates for built queries.
///
/// Source: `sqlpp.md` §6 and §11.
public final class Function: Sendable {
    private init() {}

    // MARK: Aggregates

    /// The mean of all values.
    public static func avg(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        aggregate(.average, expression)
    }

    /// The minimum value.
    public static func min(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        aggregate(.minimum, expression)
    }

    /// The maximum value.
    public static func max(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        aggregate(.maximum, expression)
    }

    /// The sum of all values.
    public static func sum(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        aggregate(.sum, expression)
    }

    /// The number of rows where `expression` is not MISSING; without an argument, the number of all rows.
    public static func count(
        _ expression: (any ExpressionProtocol)? = nil
    ) -> any ExpressionProtocol {
        aggregate(.count, expression)
    }

    // MARK: Numbers

    /// The absolute value.
    public static func abs(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.abs, expression)
    }

    /// The arc cosine.
    public static func acos(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.acos, expression)
    }

    /// The arc sine.
    public static func asin(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.asin, expression)
    }

    /// The arc tangent.
    public static func atan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.atan, expression)
    }

    /// The smallest integer that is not less.
    public static func ceil(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.ceil, expression)
    }

    /// The cosine.
    public static func cos(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.cos, expression)
    }

    /// Converts radians to degrees.
    public static func degrees(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.degrees, expression)
    }

    /// e to the power of the value.
    public static func exp(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.exp, expression)
    }

    /// The largest integer that is not greater.
    public static func floor(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.floor, expression)
    }

    /// The natural logarithm.
    public static func ln(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.ln, expression)
    }

    /// The base-10 logarithm.
    public static func log(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.log, expression)
    }

    /// Converts degrees to radians.
    public static func radians(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.radians, expression)
    }

    /// The nearest integer.
    public static func round(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.round, expression)
    }

    /// The sign: 1, 0 or -1.
    public static func sign(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.sign, expression)
    }

    /// The sine.
    public static func sin(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.sin, expression)
    }

    /// The square root.
    public static func sqrt(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.sqrt, expression)
    }

    /// The tangent.
    public static func tan(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.tan, expression)
    }

    /// The number without its fractional part.
    public static func trunc(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.trunc, expression)
    }

    /// The number rounded to a number of digits after the decimal point.
    public static func round(
        _ expression: any ExpressionProtocol,
        digits: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.round, expression, digits)
    }

    /// The number rounded to a number of digits after the decimal point.
    ///
    /// An addition to the official API.
    public static func round(
        _ expression: any ExpressionProtocol,
        digits: Int
    ) -> any ExpressionProtocol {
        call(.round, expression, Expression.int(digits))
    }

    /// The number truncated to a number of digits after the decimal point.
    public static func trunc(
        _ expression: any ExpressionProtocol,
        digits: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.trunc, expression, digits)
    }

    /// The number truncated to a number of digits after the decimal point.
    ///
    /// An addition to the official API.
    public static func trunc(
        _ expression: any ExpressionProtocol,
        digits: Int
    ) -> any ExpressionProtocol {
        call(.trunc, expression, Expression.int(digits))
    }

    /// The angle of the point (x, y).
    public static func atan2(
        y: any ExpressionProtocol,
        x: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.atan2, y, x)
    }

    /// `base` to the power of `exponent`.
    public static func power(
        base: any ExpressionProtocol,
        exponent: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.power, base, exponent)
    }

    /// The base of the natural logarithm.
    public static func e() -> any ExpressionProtocol { call(.e) }

    /// The ratio of a circle's circumference to its diameter.
    public static func pi() -> any ExpressionProtocol { call(.pi) }

    // MARK: Text

    /// Whether the text contains `substring`.
    public static func contains(
        _ expression: any ExpressionProtocol,
        substring: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.contains, expression, substring)
    }

    /// The number of characters.
    public static func length(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.length, expression)
    }

    /// The text in lower case.
    public static func lower(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.lower, expression)
    }

    /// The text without leading whitespace.
    public static func ltrim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.leftTrim, expression)
    }

    /// The text without trailing whitespace.
    public static func rtrim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.rightTrim, expression)
    }

    /// The text without leading and trailing whitespace.
    public static func trim(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.trim, expression)
    }

    /// The text in upper case.
    public static func upper(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.upper, expression)
    }

    // MARK: Dates

    /// A date string as milliseconds since 1970.
    public static func stringToMillis(
        _ expression: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.stringToMillis, expression)
    }

    /// A date string converted to UTC.
    public static func stringToUTC(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.stringToUTC, expression)
    }

    /// Milliseconds since 1970 as a date string in local time.
    public static func millisToString(
        _ expression: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.millisToString, expression)
    }

    /// Milliseconds since 1970 as a date string in UTC.
    public static func millisToUTC(_ expression: any ExpressionProtocol) -> any ExpressionProtocol {
        call(.millisToUTC, expression)
    }

    // MARK: Vectors

    /// The distance between two vectors.
    public static func euclideanDistance(
        between expression1: any ExpressionProtocol,
        and expression2: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.euclideanDistance, expression1, expression2)
    }

    /// The square of the distance between two vectors.
    public static func squaredEuclideanDistance(
        between expression1: any ExpressionProtocol,
        and expression2: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.euclideanDistance, expression1, expression2, Expression.int(2))
    }

    /// One minus the cosine of the angle between two vectors.
    public static func cosineDistance(
        between expression1: any ExpressionProtocol,
        and expression2: any ExpressionProtocol
    ) -> any ExpressionProtocol {
        call(.cosineDistance, expression1, expression2)
    }

    private static func call(
        _ function: QueryFunction,
        _ arguments: any ExpressionProtocol...
    ) -> any ExpressionProtocol {
        BuiltExpression(.call(function, arguments.map { QueryExpression($0) }))
    }

    private static func aggregate(
        _ aggregate: QueryAggregate,
        _ argument: (any ExpressionProtocol)?
    ) -> any ExpressionProtocol {
        let argument = argument.map { QueryExpression($0) }
        if case .everything(let source)? = argument?.form, source.isEmpty, aggregate == .count {
            return BuiltExpression(.aggregate(aggregate, nil))
        }
        return BuiltExpression(.aggregate(aggregate, argument))
    }
}
