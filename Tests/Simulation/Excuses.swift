/// What the oracle cannot judge: of one run, or of many.
struct Excuses: CustomStringConvertible {
    /// Different texts that were acknowledged.
    var acknowledged = 0
    /// Of these, those whose beginning another program destroyed or moved before it was fetched.
    var texts = 0
    /// Documents that nobody can read, since another program destroyed their only body.
    var bodies = 0
    /// Runs whose devices and store were not compared in the end, because a document waited for
    /// such a body.
    var runs = 0
    /// Runs of one document that were held against the model, and those that it gave up.
    var models = 0
    var undecided = 0
    /// Conflict versions of documents that two devices saved all the time, and how often they were
    /// updated.
    var siblings = 0
    var updates = 0

    static func += (all: inout Excuses, one: Excuses) {
        all.acknowledged += one.acknowledged
        all.texts += one.texts
        all.bodies += one.bodies
        all.runs += one.runs
        all.models += one.models
        all.undecided += one.undecided
        all.siblings += one.siblings
        all.updates += one.updates
    }

    var description: String {
        "excused: \(texts) of \(acknowledged) texts, \(bodies) bodies, \(runs) runs, "
            + "\(undecided) of \(models) models"
    }
}
