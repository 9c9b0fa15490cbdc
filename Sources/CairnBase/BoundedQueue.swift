internal import Dispatch
internal import Synchronization

/// A queue between threads that put elements and threads that take them, in the same order. Those
/// who put wait while it is full, which limits memory; those who take wait while it is empty.
///
/// It blocks threads, so it must not be used on the threads of Swift concurrency.
package final class BoundedQueue<Element>: @unchecked Sendable {
  // Protected by the lock.
  private let lock = Mutex(())
  private var elements: [Element] = []
  private var isStopped = false

  private let filled = DispatchSemaphore(value: 0)
  private let space = DispatchSemaphore(value: 0)

  /// - Parameter capacity: The maximum number of elements in the queue.
  package init(capacity: Int) {
    // Start at 0: a semaphore must not be destroyed below its initial value.
    for _ in 0..<capacity { space.signal() }
  }

  /// Waits until there is space, and appends an element.
  ///
  /// - Returns: Whether it was appended: false once the queue is stopped.
  @discardableResult
  package func put(_ element: Element) -> Bool {
    space.wait()
    let isOpen: Bool = lock.withLock { _ in
      if !isStopped { elements.append(element) }
      return !isStopped
    }
    // If it is stopped, wake the next thread that waits for space.
    (isOpen ? filled : space).signal()
    return isOpen
  }

  /// Waits until there is an element, and removes the first.
  package func take() -> Element {
    filled.wait()
    let element = lock.withLock { _ in elements.removeFirst() }
    space.signal()
    return element
  }

  /// Ends all waiting for space, now and later.
  package func stop() {
    lock.withLock { _ in isStopped = true }
    space.signal()
  }
}
