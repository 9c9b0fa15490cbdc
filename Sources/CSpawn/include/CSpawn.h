#ifndef CAIRN_CSPAWN_H
#define CAIRN_CSPAWN_H

#include <spawn.h>

// Makes a program to start inherit no descriptor from `first` on. glibc's own function for this is
// an extension that Swift's module of the C library leaves out; other C libraries have none.
int cairn_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

#endif
