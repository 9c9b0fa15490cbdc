#ifndef CAIRN_CCURL_SHIM_H
#define CAIRN_CCURL_SHIM_H

// curl checks the types of its variadic functions with macros that the functions below replace.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one function per
// argument type.

static inline CURLcode cairn_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode cairn_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode cairn_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode cairn_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode cairn_curl_set_list(CURL *handle, CURLoption option,
                                           struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*cairn_curl_data)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode cairn_curl_set_data(CURL *handle, CURLoption option, cairn_curl_data value) {
  return curl_easy_setopt(handle, option, value);
}

typedef int (*cairn_curl_seek)(void *context, curl_off_t offset, int origin);

static inline CURLcode cairn_curl_set_seek(CURL *handle, cairn_curl_seek value) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, value);
}

static inline long cairn_curl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

static inline const char *cairn_curl_get_text(CURL *handle, CURLINFO info) {
  const char *value = NULL;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

// The result of a message is in a union.
static inline CURLcode cairn_curl_result(const CURLMsg *message) { return message->data.result; }

// Macros that Swift does not read.
static const long cairn_curl_auth_basic = (long)CURLAUTH_BASIC;
static const size_t cairn_curl_read_abort = CURL_READFUNC_ABORT;
static const size_t cairn_curl_write_pause = CURL_WRITEFUNC_PAUSE;

#endif
