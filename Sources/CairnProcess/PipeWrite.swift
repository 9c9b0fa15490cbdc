internal import LibC

/// Writes like `write`, but reports a closed reader as an error instead of a signal, which would
/// end this process.
func writeWithoutSignal(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if os(Linux)
    var (pipeSignal, before) = (sigset_t(), sigset_t())
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
    let count = write(descriptor, bytes.baseAddress, bytes.count)
    let code = errno
    if count == -1, code == EPIPE, sigismember(&before, SIGPIPE) == 0 {
      var now = timespec()
      while sigtimedwait(&pipeSignal, nil, &now) == -1, errno == EINTR {}
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = code
    return count
  #else
    _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
    return write(descriptor, bytes.baseAddress, bytes.count)
  #endif
}
