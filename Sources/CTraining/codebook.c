#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CTraining.h"

static const unsigned char codebook[] = {
#embed "codebook.bin"
};

const unsigned char *ctraining_codebook(void) { return codebook; }

size_t ctraining_codebook_count(void) { return sizeof codebook; }
