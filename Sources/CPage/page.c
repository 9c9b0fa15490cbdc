// Written by Tests/Scripts/embed-page.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "CPage.h"

static const unsigned char file0[] = {
#embed "../CairnServer/Page/actions.js" if_empty(0)
};
static const unsigned char file1[] = {
#embed "../CairnServer/Page/api.js" if_empty(0)
};
static const unsigned char file2[] = {
#embed "../CairnServer/Page/app.js" if_empty(0)
};
static const unsigned char file3[] = {
#embed "../CairnServer/Page/dialog.js" if_empty(0)
};
static const unsigned char file4[] = {
#embed "../CairnServer/Page/dom.js" if_empty(0)
};
static const unsigned char file5[] = {
#embed "../CairnServer/Page/events.js" if_empty(0)
};
static const unsigned char file6[] = {
#embed "../CairnServer/Page/format.js" if_empty(0)
};
static const unsigned char file7[] = {
#embed "../CairnServer/Page/grid-layout.js" if_empty(0)
};
static const unsigned char file8[] = {
#embed "../CairnServer/Page/grid.js" if_empty(0)
};
static const unsigned char file9[] = {
#embed "../CairnServer/Page/help.js" if_empty(0)
};
static const unsigned char file10[] = {
#embed "../CairnServer/Page/index.html" if_empty(0)
};
static const unsigned char file11[] = {
#embed "../CairnServer/Page/keys.js" if_empty(0)
};
static const unsigned char file12[] = {
#embed "../CairnServer/Page/label-bar.js" if_empty(0)
};
static const unsigned char file13[] = {
#embed "../CairnServer/Page/main.js" if_empty(0)
};
static const unsigned char file14[] = {
#embed "../CairnServer/Page/query-bar.js" if_empty(0)
};
static const unsigned char file15[] = {
#embed "../CairnServer/Page/review-queue.js" if_empty(0)
};
static const unsigned char file16[] = {
#embed "../CairnServer/Page/router.js" if_empty(0)
};
static const unsigned char file17[] = {
#embed "../CairnServer/Page/rows.js" if_empty(0)
};
static const unsigned char file18[] = {
#embed "../CairnServer/Page/selection.js" if_empty(0)
};
static const unsigned char file19[] = {
#embed "../CairnServer/Page/store.js" if_empty(0)
};
static const unsigned char file20[] = {
#embed "../CairnServer/Page/strings-de.js" if_empty(0)
};
static const unsigned char file21[] = {
#embed "../CairnServer/Page/strings-en.js" if_empty(0)
};
static const unsigned char file22[] = {
#embed "../CairnServer/Page/strings.js" if_empty(0)
};
static const unsigned char file23[] = {
#embed "../CairnServer/Page/thumbs.js" if_empty(0)
};
static const unsigned char file24[] = {
#embed "../CairnServer/Page/types.js" if_empty(0)
};
static const unsigned char file25[] = {
#embed "../CairnServer/Page/zoom.js" if_empty(0)
};
static const unsigned char base_map[] = {
#embed "base-map.bin"
};

static const unsigned char openapi[] = {
#embed "../CairnServer/openapi.json"
};

static const CPageFile files[] = {
    {"actions.js", file0, sizeof file0},
    {"api.js", file1, sizeof file1},
    {"app.js", file2, sizeof file2},
    {"dialog.js", file3, sizeof file3},
    {"dom.js", file4, sizeof file4},
    {"events.js", file5, sizeof file5},
    {"format.js", file6, sizeof file6},
    {"grid-layout.js", file7, sizeof file7},
    {"grid.js", file8, sizeof file8},
    {"help.js", file9, sizeof file9},
    {"index.html", file10, sizeof file10},
    {"keys.js", file11, sizeof file11},
    {"label-bar.js", file12, sizeof file12},
    {"main.js", file13, sizeof file13},
    {"query-bar.js", file14, sizeof file14},
    {"review-queue.js", file15, sizeof file15},
    {"router.js", file16, sizeof file16},
    {"rows.js", file17, sizeof file17},
    {"selection.js", file18, sizeof file18},
    {"store.js", file19, sizeof file19},
    {"strings-de.js", file20, sizeof file20},
    {"strings-en.js", file21, sizeof file21},
    {"strings.js", file22, sizeof file22},
    {"thumbs.js", file23, sizeof file23},
    {"types.js", file24, sizeof file24},
    {"zoom.js", file25, sizeof file25},
    {0, 0, 0},
};

size_t cpage_count(void) { return sizeof files / sizeof *files - 1; }

CPageFile cpage_file(size_t index) { return files[index]; }

CPageFile cpage_base_map(void) {
  return (CPageFile){"base-map.bin", base_map, sizeof base_map};
}

CPageFile cpage_openapi(void) {
  return (CPageFile){"openapi.json", openapi, sizeof openapi};
}
