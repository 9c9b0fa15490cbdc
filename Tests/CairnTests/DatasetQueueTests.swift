import Cairn
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("A dataset that several tasks use")
struct DatasetQueueTests {
  private func queue(photos: Int) throws -> (Scene, DatasetQueue) {
    let scene = try Scene()
    _ = try scene.dataset(photos: photos)
    return (scene, try DatasetQueue(at: scene.path, author: scene.alice))
  }

  @Test("keeps every label that concurrent tasks set")
  func tasks() async throws {
    let (scene, queue) = try queue(photos: 3)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          try await queue.run { dataset in
            _ = try dataset.label(dataset.find(.everything), ["class-\(number)"])
          }
        }
      }
      try await group.waitForAll()
    }
    let names = try await queue.run { dataset in
      try dataset.find(.everything).map { try Set(dataset.show($0).resolution.map(\.name)) }
    }
    let expected = Set((0..<8).map { "class-\($0)" })
    #expect(names == [expected, expected, expected])
    withExtendedLifetime(scene) {}
  }

  @Test("reports progress, then the result")
  func progress() async throws {
    let (scene, queue) = try queue(photos: 2)
    let verify = queue.start { try $0.verify() }
    var last: OperationProgress?
    for await progress in verify.progress { last = progress }
    #expect(last?.step == "checking")
    #expect(try await verify.value.isValid)
    withExtendedLifetime(scene) {}
  }

  @Test("stops an operation when it is canceled, and goes on with the next")
  func cancelled() async throws {
    let (scene, queue) = try queue(photos: 1)
    let (begun, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let verify = queue.start { dataset in
      begun.signal()
      released.wait()
      return try dataset.verify().isValid
    }
    let waiting = queue.start { _ in true }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        begun.wait()
        continuation.resume()
      }
    }
    verify.cancel()
    waiting.cancel()
    released.signal()
    await #expect(throws: CancellationError.self) { try await verify.value }
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(try await queue.run { try $0.verify().isValid })
    withExtendedLifetime(scene) {}
  }

  @Test("cancels the operation of a canceled task")
  func task() async throws {
    let (scene, queue) = try queue(photos: 1)
    let (begun, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let task = Task {
      try await queue.run { dataset in
        begun.signal()
        released.wait()
        return try dataset.verify().isValid
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        begun.wait()
        continuation.resume()
      }
    }
    task.cancel()
    released.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    withExtendedLifetime(scene) {}
  }

  @Test("throws what the operation throws")
  func failure() async throws {
    let (scene, queue) = try queue(photos: 1)
    let error = await #expect(throws: CairnError.self) {
      try await queue.run { try $0.pin("nowhere").id }
    }
    #expect(error?.kind == .notFound)
    withExtendedLifetime(scene) {}
  }
}
