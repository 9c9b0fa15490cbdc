import CairnBase
import Dispatch
import Synchronization
import Testing

@Suite("Bounded queues")
struct BoundedQueueTests {
  @Test("passes on all elements in order, and holds no more than its capacity", arguments: [1, 7])
  func order(capacity: Int) {
    let queue = BoundedQueue<Int>(capacity: capacity)
    let put = Counter()
    let producing = DispatchGroup()
    DispatchQueue(label: "producer").async(group: producing) {
      for number in 0..<1000 {
        queue.put(number)
        put.increment()
      }
    }
    for number in 0..<1000 {
      #expect(queue.take() == number)
      #expect(put.value <= number + 1 + capacity)
    }
    producing.wait()
  }

  @Test("stops all threads that wait for space")
  func stops() {
    let queue = BoundedQueue<Int>(capacity: 2)
    let refused = Counter()
    let producing = DispatchGroup()
    for _ in 0..<4 {
      DispatchQueue(label: "producer").async(group: producing) {
        while queue.put(0) {}
        refused.increment()
      }
    }
    _ = queue.take()
    queue.stop()
    producing.wait()
    #expect(refused.value == 4)
    #expect(!queue.put(1))
  }
}

private final class Counter: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .sequentiallyConsistent) }

  func increment() { number.add(1, ordering: .sequentiallyConsistent) }
}
