import CairnHTTP
import CairnStore
import CairnTransport
import TestSupport
import Testing

@testable import CairnImages

@Suite("Transfer plans")
struct TransferPlanTests {
  @Test(
    "gives every image exactly one outcome, whatever fails in whatever order", arguments: 0..<300)
  func ends(_ seed: UInt64) {
    var random = SeededGenerator(seed)
    let images = (0..<UInt8.random(in: 1...60, using: &random)).map { pointer(to: [$0]) }
    var plan = TransferPlan(
      images, batchSize: Int.random(in: 1...20, using: &random), retries: RetryPolicy())
    var open: [TransferPlan.Step] = []
    var done: [Pointer] = []
    var (now, steps) = (Int64(0), 0)
    loop: while true {
      steps += 1
      guard steps < 20_000 else {
        Issue.record("the transfer does not end")
        return
      }
      // Several steps are in progress; one of them finishes.
      if open.count == 4 || (!open.isEmpty && Bool.random(using: &random)) {
        let step = open.remove(at: Int.random(in: 0..<open.count, using: &random))
        finish(step, &plan, &done, now, &random)
        continue
      }
      switch plan.next(now: now) {
      case .done where open.isEmpty: break loop
      case .done, .wait:
        now += 500
        if !open.isEmpty { finish(open.removeFirst(), &plan, &done, now, &random) }
      case let step: open.append(step)
      }
    }
    let ended = done + plan.failed.map(\.image)
    #expect(Set(ended.map(\.id)).count == ended.count)
    #expect(plan.end != nil || ended.count == images.count)
  }

  private func finish(
    _ step: TransferPlan.Step, _ plan: inout TransferPlan, _ done: inout [Pointer], _ now: Int64,
    _ random: inout SeededGenerator
  ) {
    let error = error(&random)
    let (isGood, bits) = (Int.random(in: 0..<4, using: &random) > 0, random.next())
    switch step {
    case .query(let items) where isGood:
      var movable: [(TransferPlan.Item, TransferAction)] = []
      for item in items {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: done.append(item.pointer)
        case 1: plan.rejected(item, error, now: now, random: bits)
        default:
          movable.append(
            (item, TransferAction(expires: Bool.random(using: &random) ? now + 900 : nil)))
        }
      }
      plan.queried(movable)
    case .query(let items): plan.failed(items, error, now: now, random: bits)
    case .move(let item, _) where isGood:
      plan.transferred()
      done.append(item.pointer)
    case .move(let item, _): plan.failed([item], error, now: now, random: bits)
    case .wait, .done: break
    }
  }

  private func error(_ random: inout SeededGenerator) -> TransferError {
    let scope: TransferError.Scope =
      [.image, .image, .image, .batch, .remote].randomElement(using: &random)!
    return TransferError(
      TransportError(.connectionLost, "h", "x"), scope: scope,
      isTransient: Int.random(in: 0..<5, using: &random) > 0,
      isBeforeConnection: Int.random(in: 0..<40, using: &random) == 0,
      retryAfterMilliseconds: Bool.random(using: &random)
        ? Int64.random(in: 0..<3000, using: &random) : nil)
  }

  @Test("ends the transfer when every query fails, also where each is about one image")
  func silent() {
    let images = (0..<100).map { pointer(to: [UInt8($0)]) }
    var plan = TransferPlan(images, batchSize: 1, retries: RetryPolicy())
    let error = TransferError(TransportError(.connectionLost, "h", "x"), isTransient: true)
    var (now, queries) = (Int64(0), 0)
    while queries < 1000 {
      // Four connections ask, and all of them get no answer.
      let steps = (0..<4).map { _ in plan.next(now: now) }
      now += 120_000
      for case .query(let items) in steps {
        queries += 1
        plan.failed(items, error, now: now, random: 0)
      }
      if plan.end != nil { break }
    }
    #expect(plan.end != nil && queries <= 4 * 8, "\(queries)")
  }

  @Test("goes on with other images when one fails for good")
  func oneFails() {
    let images = (0..<3).map { pointer(to: [UInt8($0)]) }
    var plan = TransferPlan(images, batchSize: 1, retries: RetryPolicy())
    let error = TransferError(TransportError(.connectionLost, "h", "x"), isTransient: true)
    var now = Int64(0)
    loop: while true {
      now += 20_000
      switch plan.next(now: now) {
      case .query(let items): plan.queried(items.map { ($0, TransferAction()) })
      case .move(let item, _) where item.pointer == images[0]:
        plan.failed([item], error, now: now, random: 0)
      case .move: plan.transferred()
      case .wait: continue
      case .done: break loop
      }
    }
    #expect(plan.end == nil && plan.failed.map(\.image) == [images[0]])
  }

  @Test("limits the attempts that a kind of error allows, whatever failed before")
  func limits() {
    var plan = TransferPlan([pointer(to: [1])], batchSize: 1, retries: RetryPolicy())
    let cut = TransferError(TransportError(.connectionLost, "h", "x"), isTransient: true)
    let damaged = TransferError(
      TransportError(.damaged, "h", "x"), isTransient: true, attempts: 2)
    var now = Int64(0)
    func move(_ error: TransferError) {
      while true {
        now += 20_000
        switch plan.next(now: now) {
        case .query(let items): plan.queried(items.map { ($0, TransferAction()) })
        case .move(let item, _): return plan.failed([item], error, now: now, random: 0)
        case .wait: continue
        case .done: return
        }
      }
    }
    for error in [cut, damaged] { move(error) }
    #expect(plan.failed.isEmpty)
    for error in [cut, damaged] { move(error) }
    #expect(plan.failed.isEmpty)
    move(damaged)
    #expect(plan.failed.first?.error == damaged)
  }

  @Test("ends the transfer when the server asks for a longer wait than is allowed")
  func quick() {
    let images = (0..<200).map { pointer(to: [UInt8($0)]) }
    var plan = TransferPlan(images, batchSize: 100, retries: RetryPolicy())
    guard case .query(let items) = plan.next(now: 0) else { return }
    let error = TransferError(
      TransportError(.connectionLost, "h", "x"), isTransient: true,
      retryAfterMilliseconds: 3_600_000)
    plan.failed(items, error, now: 0, random: 0)
    guard case .done = plan.next(now: 0) else {
      Issue.record("the transfer continues")
      return
    }
    #expect(plan.end != nil)
  }

  @Test("takes an error of libcurl for a lost connection only if something was sent")
  func errorsOfLibrary() {
    let refused = TransferError(HTTPError(.other, host: "h"), "h")
    #expect(refused.cause.kind == .serverError && refused.scope == .remote && !refused.isTransient)
    let lost = TransferError(HTTPError(.other, host: "h", stage: .sent), "h")
    #expect(lost.cause.kind == .connectionLost && lost.isTransient)
  }
}
