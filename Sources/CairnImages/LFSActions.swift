/// What an LFS server lets be done with one object, and where.
///
/// Source: Git LFS, docs/api/batch.md, “Successful Responses”.
struct LFSActions: Sendable {
}
