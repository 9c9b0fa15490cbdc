// libcurl brings some twenty libraries with it, which take as long to load as a short command takes
// to run, and few commands speak HTTP. So it is loaded by the first that does: curl_global_init, which
// comes first, fails where it is missing, and the functions here call those of the same names in it.

#include <dlfcn.h>
#include <pthread.h>

// Nobody else's calls shall end here.
#pragma GCC visibility push(hidden)
#include "CCurl.h"

#if defined(__APPLE__)
#define LIBRARY "/usr/lib/libcurl.4.dylib"
#else
#define LIBRARY "libcurl.so.4"
#endif

#define EACH_FUNCTION(X)                                                                          \
  X(global_init) X(easy_init) X(easy_cleanup) X(easy_pause) X(easy_strerror) X(easy_setopt)       \
  X(easy_getinfo) X(multi_init) X(multi_cleanup) X(multi_add_handle) X(multi_remove_handle)       \
  X(multi_perform) X(multi_poll) X(multi_info_read) X(multi_strerror) X(slist_append)             \
  X(slist_free_all)

static struct {
#define MEMBER(name) __typeof__(curl_##name) *name;
  EACH_FUNCTION(MEMBER)
} library;
static int is_loaded;

static void load(void) {
  void *file = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!file) return;
#define LOAD(name) if (!(library.name = (__typeof__(library.name))dlsym(file, "curl_" #name))) return;
  EACH_FUNCTION(LOAD)
  is_loaded = 1;
}

CURLcode curl_global_init(long flags) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded ? library.global_init(flags) : CURLE_FAILED_INIT;
}

CURL *curl_easy_init(void) { return is_loaded ? library.easy_init() : NULL; }
void curl_easy_cleanup(CURL *handle) { library.easy_cleanup(handle); }
CURLcode curl_easy_pause(CURL *handle, int action) { return library.easy_pause(handle, action); }
const char *curl_easy_strerror(CURLcode code) { return library.easy_strerror(code); }

CURLM *curl_multi_init(void) { return library.multi_init(); }
CURLMcode curl_multi_cleanup(CURLM *multi) { return library.multi_cleanup(multi); }
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *handle) {
  return library.multi_add_handle(multi, handle);
}
CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *handle) {
  return library.multi_remove_handle(multi, handle);
}
CURLMcode curl_multi_perform(CURLM *multi, int *running) {
  return library.multi_perform(multi, running);
}
CURLMcode curl_multi_poll(CURLM *multi, struct curl_waitfd extra[], unsigned int count,
                          int milliseconds, int *ready) {
  return library.multi_poll(multi, extra, count, milliseconds, ready);
}
CURLMsg *curl_multi_info_read(CURLM *multi, int *left) {
  return library.multi_info_read(multi, left);
}
const char *curl_multi_strerror(CURLMcode code) { return library.multi_strerror(code); }

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
  return library.slist_append(list, text);
}
void curl_slist_free_all(struct curl_slist *list) {
  if (list) library.slist_free_all(list);
}

CURLcode cairn_curl_set_long(CURL *handle, CURLoption option, long value) {
  return library.easy_setopt(handle, option, value);
}
CURLcode cairn_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return library.easy_setopt(handle, option, value);
}
CURLcode cairn_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return library.easy_setopt(handle, option, value);
}
CURLcode cairn_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return library.easy_setopt(handle, option, value);
}
CURLcode cairn_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return library.easy_setopt(handle, option, value);
}
CURLcode cairn_curl_set_data(CURL *handle, CURLoption option, cairn_curl_data value) {
  return library.easy_setopt(handle, option, value);
}
CURLcode cairn_curl_set_seek(CURL *handle, cairn_curl_seek value) {
  return library.easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}
long cairn_curl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  library.easy_getinfo(handle, info, &value);
  return value;
}
const char *cairn_curl_get_text(CURL *handle, CURLINFO info) {
  const char *value = NULL;
  library.easy_getinfo(handle, info, &value);
  return value;
}
