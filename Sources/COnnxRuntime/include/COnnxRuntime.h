// What cairn calls of ONNX Runtime's C API, which is loaded at run time.
//
// Source: onnxruntime_c_api.h (MIT licence), struct OrtApi, “End of Version 1 - DO NOT MODIFY ABOVE”:
// the functions of version 1 keep their places in the table for ever, and every later library gives
// that table. Only places and signatures are taken from there.
#ifndef CAIRN_ONNX_RUNTIME_H
#define CAIRN_ONNX_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

// The table of functions. Every function returns NULL, or a status to be released.
typedef const void *const *cairn_ort_api;
typedef void *cairn_ort_status;

enum {
  cairn_ort_api_version = 1,
  cairn_ort_float = 1,  // ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
  cairn_ort_uint8 = 2,  // ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8
  cairn_ort_tensor = 1  // ONNX_TYPE_TENSOR
};

// `base_function` is the library's OrtGetApiBase. NULL where it has no version 1.
cairn_ort_api cairn_ort_get_api(void *base_function, const char **version);

const char *cairn_ort_message(cairn_ort_api, cairn_ort_status);
void cairn_ort_release_status(cairn_ort_api, cairn_ort_status);

cairn_ort_status cairn_ort_create_env(cairn_ort_api, int severity, const char *name, void **env);
void cairn_ort_release_env(cairn_ort_api, void *env);
cairn_ort_status cairn_ort_create_options(cairn_ort_api, void **options);
void cairn_ort_release_options(cairn_ort_api, void *options);
cairn_ort_status cairn_ort_create_session(
    cairn_ort_api, void *env, const char *path, void *options, void **session);
void cairn_ort_release_session(cairn_ort_api, void *session);

cairn_ort_status cairn_ort_input_count(cairn_ort_api, void *session, size_t *count);
cairn_ort_status cairn_ort_output_count(cairn_ort_api, void *session, size_t *count);
cairn_ort_status cairn_ort_input_type(cairn_ort_api, void *session, size_t index, void **type);
cairn_ort_status cairn_ort_output_type(cairn_ort_api, void *session, size_t index, void **type);
void cairn_ort_release_type(cairn_ort_api, void *type);
cairn_ort_status cairn_ort_input_name(
    cairn_ort_api, void *session, size_t index, void *allocator, char **name);
cairn_ort_status cairn_ort_output_name(
    cairn_ort_api, void *session, size_t index, void *allocator, char **name);
cairn_ort_status cairn_ort_default_allocator(cairn_ort_api, void **allocator);
cairn_ort_status cairn_ort_free(cairn_ort_api, void *allocator, void *memory);

// `info` belongs to `type`; NULL where it is no tensor.
cairn_ort_status cairn_ort_tensor_info(cairn_ort_api, void *type, const void **info);
cairn_ort_status cairn_ort_element_type(cairn_ort_api, const void *info, int *type);
cairn_ort_status cairn_ort_dimension_count(cairn_ort_api, const void *info, size_t *count);
cairn_ort_status cairn_ort_dimensions(
    cairn_ort_api, const void *info, int64_t *dimensions, size_t count);
void cairn_ort_release_info(cairn_ort_api, void *info);

cairn_ort_status cairn_ort_cpu_memory(cairn_ort_api, void **memory);
void cairn_ort_release_memory(cairn_ort_api, void *memory);
cairn_ort_status cairn_ort_create_tensor(
    cairn_ort_api, void *memory, void *data, size_t bytes, const int64_t *shape, size_t rank,
    int type, void **value);
cairn_ort_status cairn_ort_is_tensor(cairn_ort_api, void *value, int *is_tensor);
cairn_ort_status cairn_ort_value_info(cairn_ort_api, void *value, void **info);
cairn_ort_status cairn_ort_data(cairn_ort_api, void *value, void **data);
void cairn_ort_release_value(cairn_ort_api, void *value);

// Runs a session with one input and one output.
cairn_ort_status cairn_ort_run(
    cairn_ort_api, void *session, const char *input_name, void *input, const char *output_name,
    void **output);

#endif
