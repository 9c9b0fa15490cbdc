import CairnHTTP
import CairnStore
import CairnTransport
import Testing
import TestSupport

@testable import CairnImages

@Suite("The plan of a transfer")
struct TransferPlanTests {
  @Test("every image ends in one place, whatever goes wrong in what order", arguments: 0..<300)
  func ends(_ seed: UInt64) {
    var random = Seeded(seed)
    let images = (0..<UInt8.random(in: 1...60, using: &random)).map { pointer(to: [$0]) }
    var plan = TransferPlan(
      images, batchSize: Int.random(in: 1...20, using: &random), retries: RetryPolicy())
    var open: [TransferPlan.Step] = []
    var done: [Pointer] = []
    var (now, steps) = (Int64(0), 0)
    loop: while true {
      steps += 1
      guard steps < 20_000 else {
        Issue.record("it does not end")
        return
      }
      // Several lines are under way; one of them comes back.
      if open.count == 4 || (!open.isEmpty && Bool.random(using: &random)) {
        let step = open.remove(at: Int.random(in: 0..<open.count, using: &random))
        comeBack(step, &plan, &done, now, &random)
        continue
      }
      switch plan.next(now: now) {
      case .done where open.isEmpty: break loop
      case .done, .wait:
        now += 500
        if !open.isEmpty { comeBack(open.removeFirst(), &plan, &done, now, &random) }
      case let step: open.append(step)
      }
    }
    let ended = done + plan.failed.map(\.image)
    #expect(Set(ended.map(\.id)).count == ended.count)
    #expect(plan.end != nil || ended.count == images.count)
  }

  private func comeBack(
    _ step: TransferPlan.Step, _ plan: inout TransferPlan, _ done: inout [Pointer], _ now: Int64,
    _ random: inout Seeded
  ) {
    let error = error(&random)
    let (isGood, bits) = (Int.random(in: 0..<4, using: &random) > 0, random.next())
    switch step {
    case .ask(let items) where isGood:
      var movable: [(TransferPlan.Item, TransferAction)] = []
      for item in items {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: done.append(item.pointer)
        case 1: plan.refused(item, error, now: now, random: bits)
        default:
          movable.append(
            (item, TransferAction(expires: Bool.random(using: &random) ? now + 900 : nil)))
        }
      }
      plan.answered(movable)
    case .ask(let items): plan.failed(items, error, now: now, random: bits)
    case .move(let item, _) where isGood:
      plan.moved()
      done.append(item.pointer)
    case .move(let item, _): plan.failed([item], error, now: now, random: bits)
    case .wait, .done: break
    }
  }

  private func error(_ random: inout Seeded) -> TransferError {
    let scope: TransferError.Scope =
      [.image, .image, .image, .batch, .remote].randomElement(using: &random)!
    return TransferError(
      TransportError(.lost, "h", "x"), scope: scope,
      isTransient: Int.random(in: 0..<5, using: &random) > 0,
      isBeforeConnection: Int.random(in: 0..<40, using: &random) == 0,
      retryAfterMilliseconds: Bool.random(using: &random)
        ? Int64.random(in: 0..<3000, using: &random) : nil)
  }

  @Test(
    "a server that asks for more timeout than there is ends the transfer, and is not asked again")
  func quick() {
    let images = (0..<200).map { pointer(to: [UInt8($0)]) }
    var plan = TransferPlan(images, batchSize: 100, retries: RetryPolicy())
    guard case .ask(let items) = plan.next(now: 0) else { return }
    let error = TransferError(
      TransportError(.lost, "h", "x"), isTransient: true, retryAfterMilliseconds: 3_600_000)
    plan.failed(items, error, now: 0, random: 0)
    guard case .done = plan.next(now: 0) else {
      Issue.record("it goes on")
      return
    }
    #expect(plan.end != nil)
  }
}
