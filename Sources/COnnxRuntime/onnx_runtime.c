#include "COnnxRuntime.h"

// OrtApiBase.
struct base {
  cairn_ort_api (*get_api)(uint32_t version);
  const char *(*get_version)(void);
};

// Places in the table of version 1.
enum {
  GetErrorMessage = 2,
  CreateEnv = 3,
  CreateSession = 7,
  Run = 9,
  CreateSessionOptions = 10,
  SessionGetInputCount = 30,
  SessionGetOutputCount = 31,
  SessionGetInputTypeInfo = 33,
  SessionGetOutputTypeInfo = 34,
  SessionGetInputName = 36,
  SessionGetOutputName = 37,
  CreateTensorWithDataAsOrtValue = 49,
  IsTensor = 50,
  GetTensorMutableData = 51,
  CastTypeInfoToTensorInfo = 55,
  GetTensorElementType = 60,
  GetDimensionsCount = 61,
  GetDimensions = 62,
  GetTensorTypeAndShape = 65,
  CreateCpuMemoryInfo = 69,
  AllocatorFree = 76,
  GetAllocatorWithDefaultOptions = 78,
  ReleaseEnv = 92,
  ReleaseStatus = 93,
  ReleaseMemoryInfo = 94,
  ReleaseSession = 95,
  ReleaseValue = 96,
  ReleaseTypeInfo = 98,
  ReleaseTensorTypeAndShapeInfo = 99,
  ReleaseSessionOptions = 100
};

#define CALL(function, ...) ((cairn_ort_status(*)(__VA_ARGS__))api[function])
#define RELEASE(function, object) ((void (*)(void *))api[function])(object)

cairn_ort_api cairn_ort_get_api(void *base_function, const char **version) {
  const struct base *base = ((const struct base *(*)(void))base_function)();
  *version = base->get_version();
  return base->get_api(cairn_ort_api_version);
}

const char *cairn_ort_message(cairn_ort_api api, cairn_ort_status status) {
  return ((const char *(*)(const void *))api[GetErrorMessage])(status);
}
void cairn_ort_release_status(cairn_ort_api api, cairn_ort_status status) {
  RELEASE(ReleaseStatus, status);
}

cairn_ort_status cairn_ort_create_env(
    cairn_ort_api api, int severity, const char *name, void **env) {
  return CALL(CreateEnv, int, const char *, void **)(severity, name, env);
}
void cairn_ort_release_env(cairn_ort_api api, void *env) { RELEASE(ReleaseEnv, env); }
cairn_ort_status cairn_ort_create_options(cairn_ort_api api, void **options) {
  return CALL(CreateSessionOptions, void **)(options);
}
void cairn_ort_release_options(cairn_ort_api api, void *options) {
  RELEASE(ReleaseSessionOptions, options);
}
cairn_ort_status cairn_ort_create_session(
    cairn_ort_api api, void *env, const char *path, void *options, void **session) {
  return CALL(CreateSession, const void *, const char *, const void *, void **)(
      env, path, options, session);
}
void cairn_ort_release_session(cairn_ort_api api, void *session) {
  RELEASE(ReleaseSession, session);
}

cairn_ort_status cairn_ort_input_count(cairn_ort_api api, void *session, size_t *count) {
  return CALL(SessionGetInputCount, const void *, size_t *)(session, count);
}
cairn_ort_status cairn_ort_output_count(cairn_ort_api api, void *session, size_t *count) {
  return CALL(SessionGetOutputCount, const void *, size_t *)(session, count);
}
cairn_ort_status cairn_ort_input_type(
    cairn_ort_api api, void *session, size_t index, void **type) {
  return CALL(SessionGetInputTypeInfo, const void *, size_t, void **)(session, index, type);
}
cairn_ort_status cairn_ort_output_type(
    cairn_ort_api api, void *session, size_t index, void **type) {
  return CALL(SessionGetOutputTypeInfo, const void *, size_t, void **)(session, index, type);
}
void cairn_ort_release_type(cairn_ort_api api, void *type) { RELEASE(ReleaseTypeInfo, type); }
cairn_ort_status cairn_ort_input_name(
    cairn_ort_api api, void *session, size_t index, void *allocator, char **name) {
  return CALL(SessionGetInputName, const void *, size_t, void *, char **)(
      session, index, allocator, name);
}
cairn_ort_status cairn_ort_output_name(
    cairn_ort_api api, void *session, size_t index, void *allocator, char **name) {
  return CALL(SessionGetOutputName, const void *, size_t, void *, char **)(
      session, index, allocator, name);
}
cairn_ort_status cairn_ort_default_allocator(cairn_ort_api api, void **allocator) {
  return CALL(GetAllocatorWithDefaultOptions, void **)(allocator);
}
cairn_ort_status cairn_ort_free(cairn_ort_api api, void *allocator, void *memory) {
  return CALL(AllocatorFree, void *, void *)(allocator, memory);
}

cairn_ort_status cairn_ort_tensor_info(cairn_ort_api api, void *type, const void **info) {
  return CALL(CastTypeInfoToTensorInfo, const void *, const void **)(type, info);
}
cairn_ort_status cairn_ort_element_type(cairn_ort_api api, const void *info, int *type) {
  return CALL(GetTensorElementType, const void *, int *)(info, type);
}
cairn_ort_status cairn_ort_dimension_count(cairn_ort_api api, const void *info, size_t *count) {
  return CALL(GetDimensionsCount, const void *, size_t *)(info, count);
}
cairn_ort_status cairn_ort_dimensions(
    cairn_ort_api api, const void *info, int64_t *dimensions, size_t count) {
  return CALL(GetDimensions, const void *, int64_t *, size_t)(info, dimensions, count);
}
void cairn_ort_release_info(cairn_ort_api api, void *info) {
  RELEASE(ReleaseTensorTypeAndShapeInfo, info);
}

// OrtArenaAllocator and OrtMemTypeDefault.
cairn_ort_status cairn_ort_cpu_memory(cairn_ort_api api, void **memory) {
  return CALL(CreateCpuMemoryInfo, int, int, void **)(1, 0, memory);
}
void cairn_ort_release_memory(cairn_ort_api api, void *memory) {
  RELEASE(ReleaseMemoryInfo, memory);
}
cairn_ort_status cairn_ort_create_tensor(
    cairn_ort_api api, void *memory, void *data, size_t bytes, const int64_t *shape, size_t rank,
    int type, void **value) {
  return CALL(
      CreateTensorWithDataAsOrtValue, const void *, void *, size_t, const int64_t *, size_t, int,
      void **)(memory, data, bytes, shape, rank, type, value);
}
cairn_ort_status cairn_ort_is_tensor(cairn_ort_api api, void *value, int *is_tensor) {
  return CALL(IsTensor, const void *, int *)(value, is_tensor);
}
cairn_ort_status cairn_ort_value_info(cairn_ort_api api, void *value, void **info) {
  return CALL(GetTensorTypeAndShape, const void *, void **)(value, info);
}
cairn_ort_status cairn_ort_data(cairn_ort_api api, void *value, void **data) {
  return CALL(GetTensorMutableData, void *, void **)(value, data);
}
void cairn_ort_release_value(cairn_ort_api api, void *value) { RELEASE(ReleaseValue, value); }

cairn_ort_status cairn_ort_run(
    cairn_ort_api api, void *session, const char *input_name, void *input, const char *output_name,
    void **output) {
  const void *inputs[] = {input};
  return CALL(
      Run, void *, const void *, const char *const *, const void *const *, size_t,
      const char *const *, size_t, void **)(
      session, NULL, &input_name, inputs, 1, &output_name, 1, output);
}
