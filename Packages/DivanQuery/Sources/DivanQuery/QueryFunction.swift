/// A function of values in one row; its raw value is the name in SQL++ and JSON, in upper case.
///
/// Source: `sqlpp.md` §6, which says what each does.
public enum QueryFunction: String, CaseIterable, Hashable, Sendable {
    /// `ARRAY_AVG`, one argument.
    case arrayAverage = "ARRAY_AVG"
    /// `ARRAY_CONTAINS`, two arguments.
    case arrayContains = "ARRAY_CONTAINS"
    /// `ARRAY_COUNT`, one argument.
    case arrayCount = "ARRAY_COUNT"
    /// `ARRAY_IFNULL`, one argument.
    case arrayIfNull = "ARRAY_IFNULL"
    /// `ARRAY_LENGTH`, one argument.
    case arrayLength = "ARRAY_LENGTH"
    /// `ARRAY_MAX`, one argument.
    case arrayMaximum = "ARRAY_MAX"
    /// `ARRAY_MIN`, one argument.
    case arrayMinimum = "ARRAY_MIN"
    /// `ARRAY_OF`, any number of arguments.
    case arrayOf = "ARRAY_OF"
    /// `ARRAY_SUM`, one argument.
    case arraySum = "ARRAY_SUM"
    /// `GREATEST`, two arguments or more.
    case greatest = "GREATEST"
    /// `LEAST`, two arguments or more.
    case least = "LEAST"
    /// `IFMISSING`, two arguments or more.
    case ifMissing = "IFMISSING"
    /// `IFMISSINGORNULL`, two arguments or more.
    case ifMissingOrNull = "IFMISSINGORNULL"
    /// `IFNULL`, two arguments or more.
    case ifNull = "IFNULL"
    /// `MISSINGIF`, two arguments.
    case missingIf = "MISSINGIF"
    /// `NULLIF`, two arguments.
    case nullIf = "NULLIF"
    /// `CONCAT`, two arguments or more.
    case concat = "CONCAT"
    /// `CONTAINS`, two arguments.
    case contains = "CONTAINS"
    /// `LENGTH`, one argument.
    case length = "LENGTH"
    /// `LOWER`, one argument.
    case lower = "LOWER"
    /// `UPPER`, one argument.
    case upper = "UPPER"
    /// `TRIM`, one or two arguments.
    case trim = "TRIM"
    /// `LTRIM`, one or two arguments.
    case leftTrim = "LTRIM"
    /// `RTRIM`, one or two arguments.
    case rightTrim = "RTRIM"
    /// `REGEXP_CONTAINS`, two arguments.
    case regexpContains = "REGEXP_CONTAINS"
    /// `REGEXP_LIKE`, two arguments.
    case regexpLike = "REGEXP_LIKE"
    /// `REGEXP_POSITION`, two arguments.
    case regexpPosition = "REGEXP_POSITION"
    /// `REGEXP_REPLACE`, three or four arguments.
    case regexpReplace = "REGEXP_REPLACE"
    /// `ABS`, one argument.
    case abs = "ABS"
    /// `ACOS`, one argument.
    case acos = "ACOS"
    /// `ASIN`, one argument.
    case asin = "ASIN"
    /// `ATAN`, one argument.
    case atan = "ATAN"
    /// `ATAN2`, two arguments.
    case atan2 = "ATAN2"
    /// `CEIL`, one argument.
    case ceil = "CEIL"
    /// `COS`, one argument.
    case cos = "COS"
    /// `DEGREES`, one argument.
    case degrees = "DEGREES"
    /// `E`, no argument.
    case e = "E"
    /// `EXP`, one argument.
    case exp = "EXP"
    /// `FLOOR`, one argument.
    case floor = "FLOOR"
    /// `LN`, one argument.
    case ln = "LN"
    /// `LOG`, one argument.
    case log = "LOG"
    /// `PI`, no argument.
    case pi = "PI"
    /// `POWER`, two arguments.
    case power = "POWER"
    /// `RADIANS`, one argument.
    case radians = "RADIANS"
    /// `ROUND`, one or two arguments.
    case round = "ROUND"
    /// `ROUND_EVEN`, one or two arguments.
    case roundEven = "ROUND_EVEN"
    /// `SIGN`, one argument.
    case sign = "SIGN"
    /// `SIN`, one argument.
    case sin = "SIN"
    /// `SQRT`, one argument.
    case sqrt = "SQRT"
    /// `TAN`, one argument.
    case tan = "TAN"
    /// `TRUNC`, one or two arguments.
    case trunc = "TRUNC"
    /// `DIV`, two arguments.
    case divide = "DIV"
    /// `IDIV`, two arguments.
    case integerDivide = "IDIV"
    /// `ISARRAY`, one argument.
    case isArray = "ISARRAY"
    /// `ISATOM`, one argument.
    case isAtom = "ISATOM"
    /// `ISBOOLEAN`, one argument.
    case isBoolean = "ISBOOLEAN"
    /// `ISNUMBER`, one argument.
    case isNumber = "ISNUMBER"
    /// `ISOBJECT`, one argument.
    case isObject = "ISOBJECT"
    /// `ISSTRING`, one argument.
    case isString = "ISSTRING"
    /// `TYPE`, one argument.
    case type = "TYPE"
    /// `TOARRAY`, one argument.
    case toArray = "TOARRAY"
    /// `TOATOM`, one argument.
    case toAtom = "TOATOM"
    /// `TOBOOLEAN`, one argument.
    case toBoolean = "TOBOOLEAN"
    /// `TONUMBER`, one argument.
    case toNumber = "TONUMBER"
    /// `TOOBJECT`, one argument.
    case toObject = "TOOBJECT"
    /// `TOSTRING`, one argument.
    case toString = "TOSTRING"
    /// `STR_TO_MILLIS`, one argument.
    case stringToMillis = "STR_TO_MILLIS"
    /// `STR_TO_UTC`, one or two arguments.
    case stringToUTC = "STR_TO_UTC"
    /// `STR_TO_TZ`, two or three arguments.
    case stringToZone = "STR_TO_TZ"
    /// `MILLIS_TO_STR`, one or two arguments.
    case millisToString = "MILLIS_TO_STR"
    /// `MILLIS_TO_UTC`, one or two arguments.
    case millisToUTC = "MILLIS_TO_UTC"
    /// `MILLIS_TO_TZ`, two or three arguments.
    case millisToZone = "MILLIS_TO_TZ"
    /// `DATE_DIFF_STR`, three arguments.
    case dateDifferenceString = "DATE_DIFF_STR"
    /// `DATE_DIFF_MILLIS`, three arguments.
    case dateDifferenceMillis = "DATE_DIFF_MILLIS"
    /// `DATE_ADD_STR`, three or four arguments.
    case dateAddString = "DATE_ADD_STR"
    /// `DATE_ADD_MILLIS`, three arguments.
    case dateAddMillis = "DATE_ADD_MILLIS"
    /// `EUCLIDEAN_DISTANCE`, two or three arguments.
    case euclideanDistance = "EUCLIDEAN_DISTANCE"
    /// `COSINE_DISTANCE`, two arguments.
    case cosineDistance = "COSINE_DISTANCE"

    /// The numbers of arguments that it accepts.
    public var argumentCounts: ClosedRange<Int> {
        switch self {
        case .arrayOf:
            0...QueryLimits.standard.argumentCount
        case .regexpReplace, .dateAddString:
            3...4
        case .e, .pi:
            0...0
        case .stringToZone, .millisToZone, .euclideanDistance:
            2...3
        case .dateDifferenceString, .dateDifferenceMillis, .dateAddMillis:
            3...3
        case .greatest, .least, .ifMissing, .ifMissingOrNull, .ifNull, .concat:
            2...QueryLimits.standard.argumentCount
        case .trim, .leftTrim, .rightTrim, .round, .roundEven, .trunc, .stringToUTC,
            .millisToString, .millisToUTC:
            1...2
        case .arrayContains, .missingIf, .nullIf, .contains, .regexpContains, .regexpLike,
            .regexpPosition, .atan2, .power, .divide, .integerDivide, .cosineDistance:
            2...2
        default:
            1...1
        }
    }
}

extension QueryFunction {
    /// The function with a name in any letter case, or `nil`; `IS_ARRAY`, `TO_ARRAY` and `TYPENAME`
    /// are other spellings of `ISARRAY`, `TOARRAY` and `TYPE`.
    public init?(name: some StringProtocol) {
        let name = name.uppercased()
        if let function = QueryFunction(rawValue: name) {
            self = function
        } else if name == "TYPENAME" {
            self = .type
        } else if name.hasPrefix("IS_") || name.hasPrefix("TO_"),
            let function = QueryFunction(rawValue: "\(name.prefix(2))\(name.dropFirst(3))")
        {
            self = function
        } else {
            return nil
        }
    }

    /// Whether its result depends on the local time zone, so that an index cannot contain it.
    public var dependsOnLocalTime: Bool {
        switch self {
        case .stringToMillis, .stringToUTC, .stringToZone, .millisToString: true
        default: false
        }
    }
}

/// A function of all rows, or of the rows in a group.
///
/// Source: `sqlpp.md` §6.
public enum QueryAggregate: String, CaseIterable, Hashable, Sendable {
    /// `COUNT(*)` of rows, or `COUNT(x)` of rows where `x` is not MISSING.
    case count = "COUNT"
    /// `SUM(x)`.
    case sum = "SUM"
    /// `AVG(x)`.
    case average = "AVG"
    /// `MIN(x)` by the order of types.
    case minimum = "MIN"
    /// `MAX(x)` by the order of types.
    case maximum = "MAX"
    /// `ARRAY_AGG(x)`: an array in the order of rows.
    case array = "ARRAY_AGG"
}
