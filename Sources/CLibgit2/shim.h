#ifndef CAIRN_CLIBGIT2_SHIM_H
#define CAIRN_CLIBGIT2_SHIM_H

#include <git2.h>
#include <git2/sys/repository.h>

// git_libgit2_opts is variadic, which Swift cannot call: this defines one function per argument
// type.

static inline int cairn_git_opt_int(int option, int value) {
  return git_libgit2_opts(option, value);
}

static inline int cairn_git_opt_size(int option, size_t value) {
  return git_libgit2_opts(option, value);
}

static inline int cairn_git_opt_get_size(int option, size_t *value) {
  return git_libgit2_opts(option, value);
}

static inline int cairn_git_opt_cache(git_object_t kind, size_t size) {
  return git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, kind, size);
}

static inline int cairn_git_opt_cached_memory(ssize_t *used, ssize_t *limit) {
  return git_libgit2_opts(GIT_OPT_GET_CACHED_MEMORY, used, limit);
}

static inline int cairn_git_opt_extensions(const char **names, size_t count) {
  return git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, names, count);
}

static inline int cairn_git_opt_search_path(int level, const char *path) {
  return git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, path);
}

#endif
