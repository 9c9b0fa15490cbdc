// Written by Tests/Scripts/embed-page.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CPage.h"

static const unsigned char file0[] = {
#embed "../CairnServer/Page/index.html" if_empty(0)
};
static const unsigned char base_map[] = {
#embed "base-map.bin"
};

static const CPageFile files[] = {
    {"index.html", file0, sizeof file0},
    {0, 0, 0},
};

size_t cpage_count(void) { return sizeof files / sizeof *files - 1; }

CPageFile cpage_file(size_t index) { return files[index]; }

CPageFile cpage_base_map(void) {
  return (CPageFile){"base-map.bin", base_map, sizeof base_map};
}
