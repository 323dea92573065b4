import DivanJSON
import DivanQuery

/// The output of a model; see ``Function/prediction(model:input:)``.
public final class PredictionFunction: ExpressionProtocol {
    let tree: QueryExpression

    init(_ model: String, _ input: any ExpressionProtocol) {
        tree = QueryExpression(.prediction(model: ExactText(model), QueryExpression(input)))
    }

    /// A part of the output, such as `label` or `scores[0]`.
    public func property(_ path: String) -> any ExpressionProtocol {
        BuiltExpression(.member(of: tree, QueryPath(property: path)))
    }
}

extension Function {
    /// The output of a model.
    ///
    /// - Parameters:
    ///   - model: The name in ``Prediction/registerModel(_:withName:)``.
    ///   - input: An expression whose value is a dictionary.
    /// - Returns: The output; MISSING if there is no such model, or if it has no output for the input.
    public static func prediction(
        model: String,
        input: any ExpressionProtocol
    ) -> PredictionFunction {
        PredictionFunction(model, input)
    }
}

/// An index of the output of a model.
///
/// It keeps the output for each document, so that queries do not call the model.
public final class PredictiveIndex: Index, Sendable {
    let prediction: QueryExpression
    let properties: [String]

    init(_ prediction: QueryExpression, _ properties: [String]) {
        self.prediction = prediction
        self.properties = properties
    }
}

extension IndexBuilder {
    /// Creates an index of the output of a model.
    ///
    /// - Parameters:
    ///   - model: The name in ``Prediction/registerModel(_:withName:)``.
    ///   - input: The input, the same expression as in queries.
    ///   - properties: Parts of the output that queries search by; with `nil` or an empty array, the index only keeps
    ///     the output.
    /// - Returns: An index for `createIndex(_:name:)`.
    public static func predictiveIndex(
        model: String,
        input: any ExpressionProtocol,
        properties: [String]? = nil
    ) -> PredictiveIndex {
        PredictiveIndex(PredictionFunction(model, input).tree, properties ?? [])
    }
}
