// measure REPORT COMMAND ARGUMENT…
//
// Runs the command and appends one line to the file REPORT: the wall clock, user and system time in
// seconds, the peak memory of its largest process in bytes, and its exit status. Processes that the
// command waited for are included. A command can run `measure` with the same REPORT to measure a
// part of itself; that line comes first.

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

int main(int argc, char **argv) {
  if (argc < 3) return 64;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  pid_t child = fork();
  if (child < 0) return 71;
  if (child == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) < 0) return 71;
  clock_gettime(CLOCK_MONOTONIC, &end);
#ifdef __APPLE__
  long long peak = usage.ru_maxrss;
#else
  long long peak = usage.ru_maxrss * 1024LL;
#endif
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  FILE *report = fopen(argv[1], "a");
  if (!report) return 74;
  fprintf(report, "%.6f %.6f %.6f %lld %d\n",
          (end.tv_sec - begin.tv_sec) + (end.tv_nsec - begin.tv_nsec) / 1e9,
          seconds(usage.ru_utime), seconds(usage.ru_stime), peak, code);
  fclose(report);
  return code;
}
